// Countries by their names.
const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })

export function countryName(code: string): string {
  if (code === 'XX') return 'Unknown'
  return /^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code
}
