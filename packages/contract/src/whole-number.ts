/**
 * Writes a whole number with its thousands apart: `1,024`. `toLocaleString` does it, too, but loads the rules of languages
 * first: a fifth of the time that a command of svc takes.
 */
export function formatWhole(value: number): string {
  const groups: string[] = []
  let digits = String(Math.abs(value))
  for (; digits.length > 3; digits = digits.slice(0, -3)) groups.unshift(digits.slice(-3))
  return `${value < 0 ? '-' : ''}${[digits, ...groups].join(',')}`
}
