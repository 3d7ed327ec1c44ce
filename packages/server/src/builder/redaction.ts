// Cleans the output of a build: removes the values of secrets in all usual encodings, and terminal commands except colours.

/** Shorter values, such as `1` or `true`, appear in every log and are not secret. */
const secretLength = 6

/** Alternatives: colours and styles, then all other terminal commands, then other control characters. */
const terminalCommands =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
  /\x1b\[[0-9;]{0,64}m|\x1b\[[0-9;:<=>?]{0,64}[ -/]{0,8}[@-~]|\x1b\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)?|\x1b[ -Z\\-~]?|[\0-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]/g

/** Lines as a terminal shows them. A carriage return begins a new line. */
export const printable = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .replace(terminalCommands, command =>
      command.startsWith('\x1b[') && command.endsWith('m') ? command : '',
    )

export class Redaction {
  readonly #spellings: readonly string[]
  /** The length of the longest encoding. */
  readonly length: number

  constructor(secrets: readonly string[]) {
    const values = secrets.flatMap(value => [value, ...value.split('\n')]).map(value => value.trim())
    const long = values.filter(value => value.length >= secretLength)
    const all = new Set(long.flatMap(spellingsOf))
    this.#spellings = [...all].sort((a, b) => b.length - a.length)
    this.length = this.#spellings[0]?.length ?? 0
  }

  of(text: string): string {
    let shown = text
    for (const spelling of this.#spellings) shown = shown.replaceAll(spelling, '[secret]')
    return shown
  }
}

/** The value itself, and its encodings in URLs, JSON and base64. */
const spellingsOf = (value: string): string[] => [
  value,
  // `encodeURIComponent` throws on lone surrogates, which the Buffer replaces.
  encodeURIComponent(Buffer.from(value).toString()),
  JSON.stringify(value).slice(1, -1),
  ...base64Of(value),
]

/** The value in base64 at each of the three byte offsets, without characters that also depend on neighbouring bytes. */
function base64Of(value: string): string[] {
  const bytes = Buffer.from(value)
  const found = [0, 1, 2].map(before => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '')
    const isCut = (before + bytes.length) % 3 !== 0
    return text.slice(before === 0 ? 0 : before + 1, isCut ? -1 : undefined)
  })
  return [...found, ...found.map(text => text.replaceAll('+', '-').replaceAll('/', '_'))].filter(
    text => text.length >= secretLength + 2,
  )
}
