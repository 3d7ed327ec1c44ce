// The code that a device shows: XXXX-XXXX, however it is typed or pasted.
const length = 8

/** Capitals with the dash in its place; everything that is no letter or digit is dropped. */
export function formatUserCode(typed: string): string {
  const letters = lettersOf(typed).slice(0, length)
  return letters.length > 4 ? `${letters.slice(0, 4)}-${letters.slice(4)}` : letters
}

const lettersOf = (typed: string) => typed.toUpperCase().replace(/[^A-Z0-9]/g, '')

export const isCompleteUserCode = (code: string) => lettersOf(code).length === length

/** Where the caret belongs in the formatted code when it stood at `caret` in what was typed. */
export function caretIn(formatted: string, typed: string, caret: number): number {
  const before = Math.min(lettersOf(typed.slice(0, caret)).length, length)
  return before > 4 && formatted.length > 4 ? before + 1 : before
}
