// Prints results and errors of svcd's commands. Both functions return the exit code.

export function show(text: string, code = 0): number {
  process.stdout.write(text)
  return code
}

export function complain(message: string): number {
  process.stderr.write(`svcd: ${message}\n`)
  return 1
}
