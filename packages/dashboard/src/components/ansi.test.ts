import { describe, expect, it } from 'vitest'
import { find } from '../pages/logs/lines.ts'
import { marked, styledPieces } from './ansi.ts'

const esc = '\x1b'

describe('colours for terminals', () => {
  it.each([
    ['plain', 'plain', undefined],
    [`${esc}[31mred${esc}[0m`, 'red', 'red'],
    [`${esc}[1;92mok${esc}[m`, 'ok', 'green'],
    [`${esc}[38;5;196mx`, 'x', 'red'],
    [`${esc}[38;5;12mx`, 'x', 'blue'],
    [`${esc}[38;5;240mx`, 'x', undefined],
    [`${esc}[38;2;255;200;0mx`, 'x', 'yellow'],
    [`${esc}[48;5;1mx`, 'x', undefined],
    [`${esc}[48;2;1;2;3;36mx`, 'x', 'cyan'],
    [`${esc}[99999mx`, 'x', undefined],
    [`${esc}[38mx`, 'x', undefined],
  ])('%j is %s in %s', (line, text, colour) => {
    const pieces = styledPieces(line)
    expect(pieces.map(piece => piece.text).join('')).toBe(text)
    expect(pieces[0]?.colour).toBe(colour)
  })

  it('ends where the app ends it', () => {
    expect(styledPieces(`a ${esc}[1mb${esc}[22m c`)).toEqual([
      { text: 'a ' },
      { text: 'b', isBold: true },
      { text: ' c', isBold: undefined, isFaint: undefined },
    ])
    expect(styledPieces(`${esc}[31ma${esc}[39mb`)[1]?.colour).toBeUndefined()
  })

  it('no other command for a terminal is left', () => {
    const line = `${esc}[2J${esc}[1;1H${esc}]0;title\x07a\x00\x07\tb${esc}[?25l${esc}M`
    expect(styledPieces(line)).toEqual([{ text: 'a\tb' }])
    // An unfinished command, and an escape character alone.
    expect(styledPieces(`a${esc}`)).toEqual([{ text: 'a' }])
    expect(styledPieces('')).toEqual([])
  })
})

describe('what a search finds', () => {
  it('is marked across colours', () => {
    const pieces = styledPieces(`on${esc}[31me tw${esc}[0mo`)
    expect(marked(pieces, find('one two', 'E T'))).toMatchObject([
      { text: 'on', isFound: false },
      { text: 'e t', isFound: true, colour: 'red' },
      { text: 'w', isFound: false, colour: 'red' },
      { text: 'o', isFound: false },
    ])
  })

  it('is nothing without a search', () => {
    expect(marked([{ text: 'all' }], find('all', ''))).toEqual([{ text: 'all', isFound: false }])
  })
})
