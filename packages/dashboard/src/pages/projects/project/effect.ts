// What a change of a project means for its server app.

interface Effect {
  restarting?: boolean | undefined
  warnings?: readonly string[]
}

/** What was done, and what follows from it. */
export function withEffect(done: string, { restarting, warnings = [] }: Effect): string {
  const follows = restarting === undefined ? [] : [effects[restarting ? 'now' : 'later']]
  return [done, ...follows, ...warnings].join(' ')
}

const effects = {
  now: 'The running app restarts with the change.',
  later: 'The app uses the change at its next start.',
}
