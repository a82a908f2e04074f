//! What an engine says of its options, and what may be set in it.
//!
//! Owns the declarations of Hub (`param`) and UGI (`option`) and the judgement of a value against
//! them. Knows no process and no match. Start reading at [`Declared::check`].

use crate::hub;

/// An option as the engine declares it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Declared {
    /// Its name in the engine's spelling.
    pub(super) name: String,
    values: Values,
}

/// What a declaration allows.
#[derive(Clone, Debug, PartialEq)]
enum Values {
    /// Numbers within bounds, whole ones or all.
    Number {
        whole: bool,
        least: Option<f64>,
        most: Option<f64>,
    },
    Flag,
    OneOf(Vec<String>),
    /// Whatever the engine makes of it.
    Any,
}

/// The words that begin a part of a UGI declaration.
const UGI_KEYS: [&str; 6] = ["name", "type", "default", "min", "max", "var"];

impl Declared {
    /// Reads `param name=hash value=64 type=int min=1 max=4096`; `None` without a name.
    pub(super) fn from_hub(line: &hub::Line) -> Option<Self> {
        let bound = |key| line.value(key).and_then(|text| text.parse().ok());
        let values = line.value("values").map(|values| {
            let words = values.split_whitespace();
            words.map(str::to_owned).collect()
        });
        Some(Self {
            name: line.value("name")?.to_owned(),
            values: Values::new(
                line.value("type").unwrap_or_default(),
                bound("min"),
                bound("max"),
                values.unwrap_or_default(),
            ),
        })
    }

    /// Reads what follows `option` in `option name Hash type spin default 64 min 1 max 4096`.
    pub(super) fn from_ugi<'a>(words: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut parts: Vec<(&str, Vec<&str>)> = Vec::new();
        for word in words {
            if UGI_KEYS.contains(&word) {
                parts.push((word, Vec::new()));
            } else {
                parts.last_mut()?.1.push(word);
            }
        }
        let all = |key| {
            let of_key = parts.iter().filter(move |part| part.0 == key);
            of_key.map(|part| part.1.join(" "))
        };
        let bound = |key| all(key).next().and_then(|text| text.parse().ok());
        Some(Self {
            name: all("name").next()?,
            values: Values::new(
                &all("type").next().unwrap_or_default(),
                bound("min"),
                bound("max"),
                all("var").collect(),
            ),
        })
    }

    /// Whether the option takes the value.
    ///
    /// # Errors
    ///
    /// What it takes instead, in words.
    pub(super) fn check(&self, value: &str) -> Result<(), String> {
        let (allowed, expected) = match &self.values {
            Values::Any => return Ok(()),
            Values::Flag => (["true", "false"].contains(&value), "true or false".into()),
            Values::OneOf(values) => {
                let known = values.iter().any(|one| one.eq_ignore_ascii_case(value));
                (known, values.join(", "))
            }
            Values::Number { whole, least, most } => {
                let number: Option<f64> = value.parse().ok();
                let within = number.is_some_and(|number| {
                    (!whole || value.parse::<i64>().is_ok())
                        && least.is_none_or(|least| number >= least)
                        && most.is_none_or(|most| number <= most)
                });
                (within, bounds(*whole, *least, *most))
            }
        };
        if allowed { Ok(()) } else { Err(expected) }
    }
}

impl Values {
    fn new(kind: &str, least: Option<f64>, most: Option<f64>, values: Vec<String>) -> Self {
        match kind {
            "int" | "spin" | "real" => Self::Number {
                whole: kind != "real",
                least,
                most,
            },
            "bool" | "check" => Self::Flag,
            "enum" | "combo" if !values.is_empty() => Self::OneOf(values),
            _ => Self::Any,
        }
    }
}

fn bounds(whole: bool, least: Option<f64>, most: Option<f64>) -> String {
    let kind = if whole { "a whole number" } else { "a number" };
    match (least, most) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("{kind}, {least} or more"),
        (None, Some(most)) => format!("{kind}, {most} or less"),
        (None, None) => kind.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_judged_by_the_declaration() {
        let hub = |text: &str| Declared::from_hub(&hub::Line::read(text)).expect(text);
        let ugi = |text: &str| Declared::from_ugi(text.split_whitespace()).expect(text);
        let hash = hub("param name=hash value=64 type=int min=1 max=4096");
        let spin = ugi("name Hash type spin default 64 min 1 max 4096");
        for option in [&hash, &spin] {
            for value in ["1", "4096"] {
                assert_eq!(option.check(value), Ok(()));
            }
            for value in ["0", "4097", "2.5", "", "many", "NaN", "1e3"] {
                assert_eq!(option.check(value), Err("1 to 4096".into()), "{value}");
            }
        }
        assert_eq!(spin.name, "Hash");
        let real = hub("param name=margin value=1 type=real min=0.5");
        assert_eq!(real.check("0.75"), Ok(()));
        assert_eq!(real.check("0"), Err("a number, 0.5 or more".into()));
        let book = hub("param name=book value=true type=bool");
        assert_eq!(book.check("1"), Err("true or false".into()));
        let style = ugi("name Play Style type combo default Normal var Solid var Very Risky");
        assert_eq!(style.name, "Play Style");
        assert_eq!(style.check("very risky"), Ok(()));
        assert_eq!(style.check("Normal"), Err("Solid, Very Risky".into()));
        assert_eq!(ugi("name Clear Hash type button").check(""), Ok(()));
        assert_eq!(
            hub("param name=x value=\"\" type=string").check("a b"),
            Ok(())
        );
        assert_eq!(Declared::from_ugi(["Hash"].into_iter()), None);
    }
}
