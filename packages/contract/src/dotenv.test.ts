import { describe, expect, it } from 'vitest'
import { isInjected, parseDotenv, variableProblem } from './dotenv.ts'

const read = (text: string) => Object.fromEntries(parseDotenv(text).map(({ key, value }) => [key, value]))

describe('a dotenv file', () => {
  it.each([
    ['plain values', 'A=1\nB = two words \n\nC=', { A: '1', B: 'two words', C: '' }],
    ['comments', '# one\n  # two\nA=1 # three\nB= # four', { A: '1', B: '' }],
    [
      'a # that is no comment',
      'A=#fff\nB=https://x/#top\nC="a # b"\nD=a#b',
      { A: '#fff', B: 'https://x/#top', C: 'a # b', D: 'a#b' },
    ],
    ['export', 'export A=1\n  export\tB=2\nexported=3', { A: '1', B: '2', exported: '3' }],
    ['single quotes, literally', 'A=\'it \\n $B "x"\' # c', { A: 'it \\n $B "x"' }],
    ['backticks, literally', 'A=`it\'s "x" \\n`', { A: 'it\'s "x" \\n' }],
    ['double quotes with escapes', 'A="a\\nb\\tc\\\\n \\"q\\" \\$X \\d"', { A: 'a\nb\tc\\n "q" $X \\d' }],
    [
      'values over several lines',
      'A="-----BEGIN\nline # two\n-----END"\nB=\'x\n\ny\'\nC=3',
      { A: '-----BEGIN\nline # two\n-----END', B: 'x\n\ny', C: '3' },
    ],
    ['quotes inside', 'A=say "hi"\nB=it\'s', { A: 'say "hi"', B: "it's" }],
    ['= inside', 'A=b=c==\nB="x=y"', { A: 'b=c==', B: 'x=y' }],
    ['Windows line ends and a byte order mark', '\uFEFFA=1\r\nB="x\r\ny"\r\n', { A: '1', B: 'x\ny' }],
    ['no expansion', 'A=1\nB=$A', { A: '1', B: '$A' }],
    ['the last of two', 'A=1\nB=2\nA=3', { A: '3', B: '2' }],
    ['nothing at all', '\n# only words\n', {}],
  ])('is read with %s', (_, text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  it.each([
    ['empty quotes', 'A=\'\'\nB=""\nC=``\nD=\nE=5', { A: '', B: '', C: '', D: '', E: '5' }],
    ['spaces inside quotes', 'A=\'  a  \'\nB="  b  "\nC=`  c  `', { A: '  a  ', B: '  b  ', C: '  c  ' }],
    [
      'one kind of quotes inside another',
      'A=\'"a" `b`\'\nB="\'a\' `b`"\nC=`"a" \'b\'`',
      { A: '"a" `b`', B: "'a' `b`", C: '"a" \'b\'' },
    ],
    ['\\n outside of double quotes', "A=a\\nb\nB='a\\nb'\nC=`a\\nb`", { A: 'a\\nb', B: 'a\\nb', C: 'a\\nb' }],
    [
      'comments after quotes',
      'A=\'a #a\' # x\nB="b #b" # x\nC=`c #c` # x "y"',
      { A: 'a #a', B: 'b #b', C: 'c #c' },
    ],
    ['several # in a comment', 'A=a b # c #d #e', { A: 'a b' }],
    [
      'JSON',
      'A={"a": "b"}\nB=\'{"a": "b"}\'\nC=`{"a": "b\'s"}`',
      { A: '{"a": "b"}', B: '{"a": "b"}', C: '{"a": "b\'s"}' },
    ],
    ['braces and $ in quotes', 'A="{ port: $PORT}"', { A: '{ port: $PORT}' }],
    ['spaces around keys and values', '    A = a\n\tB=    b c\t', { A: 'a', B: 'b c' }],
    ['line ends of old Macs', 'A=1\rB=2\r', { A: '1', B: '2' }],
    [
      'a key pair in each kind of quotes',
      'A=\'-\nx\n-\'\nB="-\nx\n-"\nC=`-\nx\n-`',
      { A: '-\nx\n-', B: '-\nx\n-', C: '-\nx\n-' },
    ],
    [
      'an @ and a trailing quote',
      'A=ada@example.com\nB=a\'\nC=b"',
      { A: 'ada@example.com', B: "a'", C: 'b"' },
    ],
  ])('is read as the npm package dotenv reads it, with %s', (_, text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  it.each([
    // The package cuts these values at the #.
    ['a # inside a value', 'A=pass#word\nB=#fff', { A: 'pass#word', B: '#fff' }],
    // The package knows no escape but \n and \r, so a quote keeps its backslash.
    ['escaped quotes', 'A="say \\"hi\\""', { A: 'say "hi"' }],
    ['escaped backslashes', 'A="C:\\\\new"', { A: 'C:\\new' }],
  ])('is read as a shell reads it, and not as the npm package dotenv, with %s', (_, text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  it.each([
    // The package skips such lines, or takes the quote for a part of the value.
    ['A: yaml', 'line 1: is not KEY=value'],
    ['export A', 'line 1: is not KEY=value'],
    ['a.b=1', "line 1: 'a.b' is not a name"],
    ["A='open", "line 1: the ' is never closed"],
    ['A=1\nnonsense\n', 'line 2: is not KEY=value'],
    ['\n\n=x', 'line 3: is not KEY=value'],
    ['MY-KEY=1', "line 1: 'MY-KEY' is not a name"],
    ['1A=1', "line 1: '1A' is not a name"],
    ['A=1\nB="never\nclosed', 'line 2: the " is never closed'],
    ["A='x' y", "line 1: there is more after the closing '"],
    ['A="x\ny" z', 'line 2: there is more after the closing "'],
    [`A=${'x'.repeat(65_537)}`, 'the value of A is over the limit of 64 KB'],
  ])('is refused by its line: %.30j', (text, message) => {
    expect(() => parseDotenv(text)).toThrow(message)
  })
})

describe('a variable', () => {
  it('is checked as the API checks it', () => {
    expect(variableProblem({ key: 'A'.repeat(128), value: 'é'.repeat(32_768) })).toBeUndefined()
    expect(variableProblem({ key: 'A'.repeat(129), value: '' })).toMatch(/longer than 128/)
    expect(variableProblem({ key: 'A', value: 'é'.repeat(32_769) })).toMatch(/64 KB/)
    expect(variableProblem({ key: 'A', value: 'a\0b' })).toMatch(/NUL/)
  })

  it.each([
    'PORT HOSTNAME NODE_ENV VERCEL VERCEL_URL NEXT_PUBLIC_VERCEL_ENV TURBO_TEAM NETLIFY NETLIFY_DEV NETLIFYX',
    'DEPLOY_URL DEPLOY_PRIME_URL DEPLOY_ID SITE_ID SITE_NAME CONTEXT COMMIT_REF CACHED_COMMIT_REF BUILD_ID',
  ])('that another platform injects is known: %s', keys => {
    for (const key of keys.split(' ')) expect([key, isInjected(key)]).toEqual([key, true])
  })

  it('of one’s own is left alone', () => {
    for (const key of [
      'MY_PORT',
      'PORT_2',
      'VERCELLI',
      'TURBO',
      'SITE_URL',
      'CONTEXTS',
      'MY_NETLIFY',
      'port',
    ])
      expect([key, isInjected(key)]).toEqual([key, false])
  })
})
