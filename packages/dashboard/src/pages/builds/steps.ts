// The steps of a build, read from its log: each begins with its title and ends with the time that it took.

export interface Step {
  title: string
  /** As the log says it, such as `1.4 s`; undefined where the step did not end. */
  seconds: string | undefined
}

/** What the titles of steps begin with. */
const beginnings = ['Checking out ', 'Restoring ', 'Installing: ', 'Building: ', 'Saving ', 'Deploying ']
const ending = '  done in '

export function stepsOf(log: string): Step[] {
  const steps: Step[] = []
  for (const line of log.split('\n')) {
    const last = steps.at(-1)
    const isOpen = last !== undefined && last.seconds === undefined
    if (isOpen && line.startsWith(ending)) last.seconds = line.slice(ending.length)
    else if (!isOpen && beginnings.some(words => line.startsWith(words)))
      steps.push({ title: line, seconds: undefined })
    // A builder that was killed left a step without its end; the next one begins from the start.
    else if (line.startsWith('Checking out '))
      steps.splice(0, steps.length, { title: line, seconds: undefined })
  }
  return steps
}
