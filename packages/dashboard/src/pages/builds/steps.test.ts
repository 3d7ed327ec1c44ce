import { describe, expect, it } from 'vitest'
import { linesOf } from './lines.ts'
import { rowsOf, stepsOf } from './steps.ts'

const logOf = (...lines: string[]) => linesOf(lines.map(line => `- ${line}\n`).join(''))

describe('the steps of a build', () => {
  const log = logOf(
    'Checking out 0123456789 of main',
    '  done in 0.1 s',
    'Node 22.1.0, as engines.node asks',
    'Installing: npm ci',
    'added 3 packages',
    'Building: a line that a package printed',
    '  done in 12.3 s',
    'Building: npm run build',
    'half a li',
  )

  it('are read from its log, with the time that each took', () => {
    expect(stepsOf(log)).toEqual([
      { title: 'Checking out 0123456789 of main', seconds: '0.1 s', from: 1, to: 2 },
      { title: 'Installing: npm ci', seconds: '12.3 s', from: 4, to: 7 },
      { title: 'Building: npm run build', seconds: undefined, from: 8, to: 9 },
    ])
    expect(stepsOf(logOf())).toEqual([])
  })

  it('begin anew where a builder was killed', () => {
    const title = 'Checking out a of main'
    const twice = logOf(title, '  done in 0.1 s', 'Installing: npm ci', title)
    expect(stepsOf(twice)).toEqual([{ title, seconds: undefined, from: 4, to: 4 }])
  })

  it('are folded one by one', () => {
    const steps = stepsOf(log)
    const numbers = (isOpen: (title: string) => boolean) =>
      rowsOf(log, steps, ({ title }) => isOpen(title)).map(({ line }) => line.number)
    expect(numbers(() => true)).toEqual([1, 3, 4, 5, 6, 8, 9])
    expect(numbers(() => false)).toEqual([1, 3, 4, 8])
    expect(numbers(title => title.startsWith('Building'))).toEqual([1, 3, 4, 8, 9])
  })
})
