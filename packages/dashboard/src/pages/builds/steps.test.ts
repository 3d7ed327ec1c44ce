import { describe, expect, it } from 'vitest'
import { stepsOf } from './steps.ts'

describe('the steps of a build', () => {
  it('are read from its log, with the time that each took', () => {
    const log = [
      'Checking out 0123456789 of main',
      '  done in 0.1 s',
      'Installing: npm ci',
      'added 3 packages',
      'Building: a line that a package printed',
      '  done in 12.3 s',
      'Building: npm run build',
      'half a li',
    ].join('\n')
    expect(stepsOf(log)).toEqual([
      { title: 'Checking out 0123456789 of main', seconds: '0.1 s' },
      { title: 'Installing: npm ci', seconds: '12.3 s' },
      { title: 'Building: npm run build', seconds: undefined },
    ])
    expect(stepsOf('')).toEqual([])
  })

  it('begin anew where a builder was killed', () => {
    const log = 'Checking out a of main\n  done in 0.1 s\nInstalling: npm ci\nChecking out a of main\n'
    expect(stepsOf(log)).toEqual([{ title: 'Checking out a of main', seconds: undefined }])
  })
})
