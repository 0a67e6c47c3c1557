//! Showing bytes of a file to the user.

/// Bytes of a file that an error message shows at most.
const SHOWN: usize = 80;

/// `bytes` as text in quotes, shortened, with everything that is not printable escaped.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let cut = bytes.len() > SHOWN;
    let shown = bytes[..bytes.len().min(SHOWN)].escape_ascii();
    if cut {
        format!("`{shown}...`")
    } else {
        format!("`{shown}`")
    }
}
