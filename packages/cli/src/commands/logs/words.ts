// Messages about the state of the app. They go to stderr, so that stdout only has the log.
import { minute } from '../../output.ts'

export const unreachableWords = 'The runner of this app does not answer. Its lines are shown once it does.'

export const silentWords = (isSince: boolean): string =>
  isSince ? 'The app has written nothing since then.' : 'The app has written nothing yet.'

export const stoppedWords = (at: string | null): string =>
  at === null
    ? 'The app has not run yet; the next request starts it.'
    : `The app stopped at ${minute(at)} UTC; the next request starts it.`
