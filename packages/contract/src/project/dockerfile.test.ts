import { describe, expect, it } from 'vitest'
import { declaredArgs, fetchingInstruction } from './dockerfile.ts'

describe('a Dockerfile', () => {
  it.each([
    'FROM x\nADD http://169.254.169.254/latest /x',
    'FROM x\n  add\thttps://example.com/x /x',
    'FROM x\nADD ["http://example.com/x", "/x"]',
    'FROM x\nADD ["http:\\u002f/example.com/x", "/x"]',
    'FROM x\nADD h"t"tp:"/"/example.com/x /x',
    'FROM x\nADD http:\\//example.com/x /x',
    'ARG U=http://example.com\nFROM x\nARG U\nADD $U /x',
    'FROM x\nADD --chown=1 $U /x',
    'FROM x\nA\\\nDD \\\n# a comment\n\nhttp://example.com/x /x',
    '# escape=`\nFROM x\nAD`  \nD http://example.com/x /x',
    '\ufeffADD http://example.com/x /x',
    'FROM x\r\nADD \\\r\nhttp://example.com/x /x\r\n',
    'FROM x AS a\nONBUILD ADD http://example.com/x /x\nFROM a',
  ])('may not make the engine fetch a URL: %j', text => {
    expect(fetchingInstruction(text)).toMatch(/^(ADD|ONBUILD) /)
  })

  it.each([
    'FROM x\nADD . /srv\nADD ["a b.tar.gz", "/srv/"]\nCOPY $DIR /x\nRUN curl https://example.com/x',
    '# ADD http://example.com/x /x\nFROM x\nRUN echo \\\n  ADDITION http://example.com',
    'FROM x\nENV NOTE="see \\\n ADD http://example.com/x"',
  ])('may add files of the repository: %j', text => {
    expect(fetchingInstruction(text)).toBeUndefined()
  })

  it('names its arguments', () => {
    const text = 'ARG ONE=1 two\nFROM x\nar\\\n# between\ng THREE\\\n=3\nRUN echo ARG FOUR'
    expect([...declaredArgs(text)]).toEqual(['ONE', 'two', 'THREE'])
  })
})
