// Messages for the person who deployed an app: how it ended, or why it did not start.
import { AppDidNotStart, type AppExit } from './port.ts'

/** Shells, bubblewrap and container engines report the exit code 128 + n for a process that signal n ended. */
const signals: Record<number, NodeJS.Signals> = {
  134: 'SIGABRT',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  143: 'SIGTERM',
}

export function exitOf(code: number | null, outOfMemory: boolean): AppExit {
  const signal = signals[code ?? 0] ?? null
  return { code: signal ? null : code, signal, outOfMemory }
}

export function describeExit({ code, signal, outOfMemory }: AppExit): string {
  if (outOfMemory) return 'The app used more memory than it may and was ended'
  return signal ? `The app was ended by ${signal}` : `The app exited with code ${code ?? 'unknown'}`
}

export function notListening(readyWithinMs: number, advice: string): AppDidNotStart {
  const seconds = Math.round(readyWithinMs / 1000)
  const words = `The app did not accept connections on its port within ${seconds} seconds.`
  return new AppDidNotStart('not listening', `${words} ${advice}`)
}

/** Advice for an app that does not listen on PORT. `elsewhere` are the ports on which it does listen. */
export const adviceFor = (elsewhere: readonly number[]): string =>
  elsewhere.length > 0
    ? `It listens on ${elsewhere.join(', ')} instead: let it listen on the port in the variable PORT.`
    : 'Let it listen on the port in the variable PORT.'
