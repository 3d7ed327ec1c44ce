// Runs svc: parses the command line, runs the command, prints errors, and sets the exit code.
import { ApiError } from '@svc/contract/client'
import { Failure, fileFailure } from './failure.ts'
import { clean, mayAdvise, notice, print, printError } from './output.ts'
import { parse } from './parse.ts'
// Nearly every command needs it. Imported here, it is loaded with the entry, and not in five small chunks after it.
import './session.ts'
import { setVersion, updateAdvice } from './version.ts'

export async function main(argv: string[], version: string): Promise<number> {
  setVersion(version)
  watchOutput()
  try {
    return await run(argv, version)
  } catch (error) {
    await report(error)
    return 1
  }
}

async function run(argv: string[], version: string): Promise<number> {
  // The completion scripts call this on Tab. What the user has typed so far need not be a valid command line.
  if (argv[0] === '__complete') {
    const { printCandidates } = await import('./completion/complete.ts')
    await printCandidates(argv.slice(1))
    return 0
  }
  const request = parse(argv)
  switch (request.kind) {
    case 'version':
      print(version)
      return 0
    case 'help': {
      const { commandHelp, generalHelp, helpOnAll } = await import('./help.ts')
      const general = request.all ? helpOnAll : generalHelp
      print(request.found ? commandHelp(request.found) : general(version))
      return request.asked ? 0 : 1
    }
    case 'run': {
      const command = await request.load()
      await command(request)
      const advice = updateAdvice()
      if (advice) notice(advice)
      return 0
    }
  }
}

async function report(error: unknown): Promise<void> {
  if (error instanceof Failure) return printError([error.message, error.hint].filter(Boolean).join('\n'))
  if (!(error instanceof ApiError)) return console.error(error)
  // A message may contain text of other people, or come from another server than the platform.
  const words = error.message.split('\n').map(clean).join('\n')
  printError(`${words} (${clean(error.code)})`)
  if (!mayAdvise()) return
  const { nextStep } = await import('./next-step.ts')
  const advice = nextStep(error)
  if (advice) notice(advice)
}

/** `svc projects | head -1` closes our stdout early; that is no error. A full disk is one. */
function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    printError(fileFailure('write', 'the output', error).message)
    process.exit(1)
  })
  // An error on stderr cannot be reported anywhere.
  process.stderr.on('error', () => undefined)
}
