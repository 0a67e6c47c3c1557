//! Which page of a block is which bit of its word line.

use crate::cell_type::CellType;
use crate::error::ConfigError;
use crate::geometry::{Geometry, GeometryConfig};
use crate::page_layout::PageLayout;

/// Page types that any cell can have.
pub const MAX_PAGE_TYPES: usize = 4;

/// Which bit of its cells a page is: 0 is the lower page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageType(pub u8);

impl PageType {
    /// The lower page, the only one of SLC.
    pub const LOWER: Self = Self(0);

    /// The type as an index into per-type tables.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// `lower`, `middle`, `upper`, `top`, as `cell` calls the page.
    #[must_use]
    pub const fn name(self, cell: CellType) -> &'static str {
        match (self.0, cell) {
            (0, _) => "lower",
            (1, CellType::Mlc) | (2, _) => "upper",
            (1, _) => "middle",
            _ => "top",
        }
    }
}

/// The page types of a block, looked up by page index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageTypes {
    cell: CellType,
    /// Type and wordline of every page of a block.
    pages: Box<[(PageType, u16)]>,
}

impl PageTypes {
    /// Lays the pages of a block out on its wordlines.
    ///
    /// # Errors
    /// An empty pattern, or one that names a page type that the cell does not have.
    pub fn new(config: &GeometryConfig, geometry: &Geometry) -> Result<Self, ConfigError> {
        let cell = config.cell_type;
        let bits = cell.bits();
        let pages = geometry.pages_per_block as usize;
        let types: Vec<u8> = match &config.page_layout {
            PageLayout::Grouped => (0..bits as u8).cycle().take(pages).collect(),
            PageLayout::Staircase => staircase(bits, geometry.pages_per_block),
            PageLayout::Pattern(pattern) => {
                let bad = pattern.iter().find(|page_type| u32::from(**page_type) >= bits);
                if pattern.is_empty() || bad.is_some() {
                    return Err(ConfigError::new(
                        "geometry.page_layout",
                        format!("{pattern:?}"),
                        format!("a list of page types from 0 to {} for this cell_type", bits - 1),
                    ));
                }
                pattern.iter().copied().cycle().take(pages).collect()
            }
        };
        // the k-th page of each type is on wordline k, whatever the order
        let mut wordlines = [0_u16; MAX_PAGE_TYPES];
        let pages = types
            .into_iter()
            .map(|page_type| {
                let next = &mut wordlines[usize::from(page_type)];
                *next += 1;
                (PageType(page_type), *next - 1)
            })
            .collect();
        Ok(Self { cell, pages })
    }

    /// Bits per cell.
    #[must_use]
    pub const fn cell(&self) -> CellType {
        self.cell
    }

    /// The type of the page of index `page` in its block.
    #[must_use]
    #[inline]
    pub fn of(&self, page: u32) -> PageType {
        self.pages[page as usize].0
    }

    /// The wordline of the page of index `page`: pages with the same one share their cells.
    #[must_use]
    pub fn wordline(&self, page: u32) -> u32 {
        u32::from(self.pages[page as usize].1)
    }
}

/// The shadow order: on diagonal d, bit t of wordline d - t.
fn staircase(bits: u32, pages: u32) -> Vec<u8> {
    let wordlines = pages.div_ceil(bits);
    let mut types = Vec::with_capacity((wordlines * bits) as usize);
    for diagonal in 0..wordlines + bits - 1 {
        for bit in 0..bits {
            if diagonal >= bit && diagonal - bit < wordlines {
                types.push(bit as u8);
            }
        }
    }
    types.truncate(pages as usize);
    types
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay_out(cell_type: CellType, page_layout: PageLayout, pages: u32) -> Result<PageTypes, ConfigError> {
        let config = GeometryConfig {
            cell_type,
            page_layout,
            pages_per_block: pages,
            ..GeometryConfig::default()
        };
        PageTypes::new(&config, &Geometry::new(&config)?)
    }

    fn types(of: &PageTypes) -> Vec<u8> {
        of.pages.iter().map(|(page_type, _)| page_type.0).collect()
    }

    #[test]
    fn grouped_pages_of_a_wordline_follow_each_other() {
        let tlc = lay_out(CellType::Tlc, PageLayout::Grouped, 6).unwrap();
        assert_eq!(types(&tlc), [0, 1, 2, 0, 1, 2]);
        assert_eq!((tlc.wordline(2), tlc.wordline(3)), (0, 1));
        assert_eq!(tlc.of(1).name(CellType::Tlc), "middle");
    }

    #[test]
    fn pages_have_the_names_of_data_sheets() {
        for (cell, names) in [
            (CellType::Slc, &["lower"][..]),
            (CellType::Mlc, &["lower", "upper"]),
            (CellType::Tlc, &["lower", "middle", "upper"]),
            (CellType::Qlc, &["lower", "middle", "upper", "top"]),
        ] {
            let found: Vec<&str> = (0..cell.bits() as u8)
                .map(|index| PageType(index).name(cell))
                .collect();
            assert_eq!(found, names, "{cell:?}");
        }
    }

    #[test]
    fn staircase_is_the_shadow_order() {
        let mlc = lay_out(CellType::Mlc, PageLayout::Staircase, 8).unwrap();
        assert_eq!(types(&mlc), [0, 0, 1, 0, 1, 0, 1, 1]);
        assert_eq!(
            (0..8).map(|page| mlc.wordline(page)).collect::<Vec<_>>(),
            [0, 1, 0, 2, 1, 3, 2, 3]
        );
        let tlc = lay_out(CellType::Tlc, PageLayout::Staircase, 9).unwrap();
        assert_eq!(types(&tlc), [0, 0, 1, 0, 1, 2, 1, 2, 2]);
    }

    #[test]
    fn every_layout_covers_the_block() {
        for cell in [CellType::Slc, CellType::Mlc, CellType::Tlc, CellType::Qlc] {
            for layout in [PageLayout::Grouped, PageLayout::Staircase] {
                assert_eq!(lay_out(cell, layout, 64).unwrap().pages.len(), 64);
            }
        }
    }

    #[test]
    fn refuses_types_that_the_cell_has_not() {
        for pattern in [vec![], vec![0, 2]] {
            let error = lay_out(CellType::Mlc, PageLayout::Pattern(pattern), 8).unwrap_err();
            assert_eq!(error.key, "geometry.page_layout");
            assert!(error.accepted.contains("from 0 to 1"), "{error}");
        }
        assert_eq!(
            types(&lay_out(CellType::Mlc, PageLayout::Pattern(vec![0, 0, 1]), 6).unwrap()),
            [0, 0, 1, 0, 0, 1]
        );
    }

    #[test]
    fn reads_names_and_lists() {
        let config: GeometryConfig =
            toml::from_str("cell_type = \"mlc\"\npage_layout = [0, 0, 1, 1]\n").unwrap();
        assert_eq!(config.cell_type, CellType::Mlc);
        assert_eq!(config.page_layout, PageLayout::Pattern(vec![0, 0, 1, 1]));
        for (name, layout) in [
            ("grouped", PageLayout::Grouped),
            ("staircase", PageLayout::Staircase),
        ] {
            let named: GeometryConfig = toml::from_str(&format!("page_layout = \"{name}\"")).unwrap();
            assert_eq!(named.page_layout, layout);
        }
        // the schema refers to the layouts by their name, and lists them
        let schema = schemars::schema_for!(GeometryConfig).to_value();
        let layouts = &schema["$defs"]["PageLayout"]["anyOf"][0]["enum"];
        assert_eq!(layouts.to_string(), "[\"grouped\",\"staircase\"]");
        let error = toml::from_str::<GeometryConfig>("page_layout = \"random\"").unwrap_err();
        assert!(error.to_string().contains("staircase"), "{error}");
    }
}
