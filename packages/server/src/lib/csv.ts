// Lines of CSV for spreadsheets. Values are escaped, so that no spreadsheet runs them as formulas.

export const csvLine = (values: readonly string[]): string => `${values.map(cell).join(',')}\r\n`

const startsFormula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const plainNumber = /^[+-]?\d+(?:[.,]\d+)*$/

/** Adds an apostrophe before a formula, so that a spreadsheet shows it instead of running it. */
function cell(text: string): string {
  const safe = startsFormula.test(text) && !plainNumber.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
