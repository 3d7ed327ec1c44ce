// The Procfile, whose web: line starts a server.

/** The command of the first web: line, or `''` if it has none. `undefined` if there is no such line. */
export function webCommand(procfile: string): string | undefined {
  for (const line of procfile.split('\n')) {
    const [, command] = /^\s*web\s*:(.*)$/.exec(line) ?? []
    if (command !== undefined) return command.trim()
  }
  return undefined
}
