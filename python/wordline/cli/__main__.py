"""`python -m wordline.cli`."""

from wordline.cli import main

main()
