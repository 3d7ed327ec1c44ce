import { describe, expect, it } from 'vitest'
import { failingLine } from './failing-line.ts'

const log = (...lines: string[]): string => lines.map(line => `2026-01-02T03:04:05.678Z ${line}\n`).join('')
const checkedOut = ['Checking out 0123456', '  done in 0.2 s']

describe('the line that says why a build failed', () => {
  it('is the first error of the step that did not end', () => {
    const text = log(
      ...checkedOut,
      'Installing: npm ci',
      'npm warn old lockfile: an error in it was mended',
      '  done in 3 s',
      'Building: npm run build',
      '> vite build',
      'transforming (12) src/main.ts',
      'error during build:',
      '[vite] Could not resolve "./missing" from "src/main.ts"',
      'npm error Lifecycle script `build` failed with error:',
    )
    expect(failingLine(text)).toMatchObject({ number: 9, text: 'error during build:' })
  })

  it('may have the error in its middle, or in colours', () => {
    const line = 'src/a.ts(1,7): \u001b[31merror TS2322\u001b[0m: Type string is not assignable.'
    const text = log(...checkedOut, 'Building: tsc', 'Starting', line, 'Done with a bang')
    expect(failingLine(text)).toMatchObject({
      number: 5,
      text: 'src/a.ts(1,7): error TS2322: Type string is not assignable.',
    })
  })

  it('is the last line if none looks like an error', () => {
    expect(failingLine(log(...checkedOut, 'Building: make', 'one', 'two', ''))).toMatchObject({ text: 'two' })
  })

  it('is missing if the build wrote nothing', () => {
    expect(failingLine('')).toBeUndefined()
  })
})
