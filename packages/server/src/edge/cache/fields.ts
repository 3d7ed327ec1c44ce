// Header fields as a flat list of names and values, in which a name may come more than once.

/** The values of every line with this name, given in lower case. */
export function linesIn(headers: readonly string[], name: string): string[] {
  const lines: string[] = []
  for (let i = 0; i < headers.length; i += 2) if (isNamed(headers[i]!, name)) lines.push(headers[i + 1]!)
  return lines
}

/** The value of the first line with this name, given in lower case. */
export function fieldIn(headers: readonly string[], name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2) if (isNamed(headers[i]!, name)) return headers[i + 1]
  return undefined
}

/** The members of a list, in lower case. */
export function membersIn(headers: readonly string[], name: string): string[] {
  const members = linesIn(headers, name).flatMap(line => line.split(','))
  return members.map(member => member.trim().toLowerCase()).filter(Boolean)
}

const isNamed = (written: string, name: string): boolean =>
  written.length === name.length && written.toLowerCase() === name
