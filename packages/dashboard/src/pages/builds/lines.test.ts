import { expect, it } from 'vitest'
import { linesOf, withoutTimes } from './lines.ts'

const at = '2026-11-18T10:00:00.123Z'

it('shows the colours of a line, and none of its codes', () => {
  expect(linesOf(`${at} \x1b[32m✓\x1b[39m built\n- \x1b[2Kplain\n`)).toEqual([
    {
      number: 1,
      time: at,
      text: '✓ built',
      pieces: [{ text: '✓', colour: 'green' }, { text: ' built' }],
    },
    { number: 2, time: undefined, text: 'plain', pieces: [{ text: 'plain' }] },
  ])
})

it('shows what a program wrote last over the same line', () => {
  const log = `${at} 10 %\r50 %\r100 %\r\n${at} \n${at} end`
  expect(linesOf(log).map(({ text }) => text)).toEqual(['100 %', '', 'end'])
})

it('gives the log back as it was written', () => {
  expect(withoutTimes(`${at} one two\n${at} \n- three\n`)).toBe('one two\n\nthree\n')
})
