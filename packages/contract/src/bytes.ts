// Writes and reads sizes, the same in the CLI, the dashboard and the server's messages.
const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** Reads `10 GB`, `10gb` or a number of bytes. `undefined` if it is neither. */
export function parseBytes(text: string): number | undefined {
  const [, digits = '', unit = 'B'] = /^([0-9]{1,16}) ?([KMGT]?B)?$/.exec(text.trim().toUpperCase()) ?? []
  const bytes = Number(digits) * 1024 ** (units as readonly string[]).indexOf(unit)
  return digits !== '' && Number.isSafeInteger(bytes) ? bytes : undefined
}

/** `300 B`, `1.2 KB`, `25 MB`: powers of 1024, with three digits at most. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (Math.round(value) >= 1000 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  const isWhole = unit === 0 || value >= 99.95
  return `${isWhole ? Math.round(value) : Number(value.toFixed(1))} ${units[unit]}`
}
