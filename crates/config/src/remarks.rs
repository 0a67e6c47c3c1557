//! What the user is told of a configuration that is accepted.

/// Remarks on a configuration, in the order in which they came up.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    texts: Vec<String>,
    /// Keys of the preset that have no effect.
    of_preset: Vec<String>,
}

impl Remarks {
    /// Adds a sentence.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.texts.push(text.into());
    }

    /// A key that a preset brought has no effect. The user did not write it: all such keys share one sentence.
    pub(crate) fn unused_key_of_preset(&mut self, key: impl Into<String>) {
        self.of_preset.push(key.into());
    }

    /// Everything, a sentence each.
    pub(crate) fn into_texts(mut self) -> Vec<String> {
        let keys = self.of_preset.join(", ");
        match self.of_preset.len() {
            0 => {}
            1 => self
                .texts
                .push(format!("1 key of the preset has no effect here: {keys}")),
            many => self
                .texts
                .push(format!("{many} keys of the preset have no effect here: {keys}")),
        }
        self.texts
    }
}
