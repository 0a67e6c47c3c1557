//! Linear equations in a handful of unknowns; every matrix is square and as long as its right side.

/// Solves a small system of linear equations.
pub(crate) fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    eliminate(&mut matrix, &mut right)?;
    for row in (0..right.len()).rev() {
        let known: f64 = (row + 1..right.len())
            .map(|column| matrix[row][column] * right[column])
            .sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right.iter().all(|value| value.is_finite()).then_some(right)
}

/// Gaussian elimination with pivots; returns the smallest pivot, `None` where one is zero.
pub(crate) fn eliminate(matrix: &mut [Vec<f64>], right: &mut [f64]) -> Option<f64> {
    let size = right.len();
    let mut smallest = f64::INFINITY;
    for column in 0..size {
        let pivot =
            (column..size).max_by(|a, b| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs()))?;
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let value = matrix[column][column];
        if value == 0.0 || !value.is_finite() {
            return None;
        }
        smallest = smallest.min(value.abs());
        let pivot = matrix[column].clone();
        for row in column + 1..size {
            let factor = matrix[row][column] / value;
            for (entry, above) in matrix[row].iter_mut().zip(&pivot) {
                *entry -= factor * above;
            }
            right[row] -= factor * right[column];
        }
    }
    Some(smallest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_with_pivots_and_refuses_singular_ones() {
        let solved = solve(vec![vec![0.0, 2.0], vec![3.0, 1.0]], vec![4.0, 11.0]).unwrap();
        assert!(
            (solved[0] - 3.0).abs() < 1e-12 && (solved[1] - 2.0).abs() < 1e-12,
            "{solved:?}"
        );
        assert_eq!(solve(vec![vec![1.0, 2.0], vec![2.0, 4.0]], vec![1.0, 2.0]), None);
    }
}
