// Colours that apps write for terminals. Everything else that a terminal takes as a command is removed.

/** A part of a line in one style. */
export interface Piece {
  text: string
  colour?: Colour | undefined
  isBold?: boolean | undefined
  isFaint?: boolean | undefined
}

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const
type Colour = (typeof colours)[number]

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what a terminal takes as a command
const commands = /(\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_]))/
// biome-ignore lint/suspicious/noControlCharactersInRegex: a page shows them as nothing or as boxes
const controls = /[\x00-\x08\x0b-\x1f\x7f]/g

type Style = Omit<Piece, 'text'>

/** The parts of a line with their styles. The texts together are the line without any commands. */
export function styledPieces(line: string): Piece[] {
  const pieces: Piece[] = []
  let style: Style = {}
  for (const [i, part] of line.split(commands).entries()) {
    if (i % 2 === 1) {
      if (part.startsWith('\x1b[') && part.endsWith('m')) style = styleAfter(style, part.slice(2, -1))
      continue
    }
    const text = part.replace(controls, '')
    if (text !== '') pieces.push({ text, ...style })
  }
  return pieces
}

/** The style after the codes of one command, such as `1;31`. */
function styleAfter(before: Style, codes: string): Style {
  let style = before
  const numbers = codes.split(';').map(Number)
  for (let i = 0; i < numbers.length; i++) {
    const code = numbers[i]!
    if (code === 38 || code === 48) {
      // `38;5;n` is one of 256 colours, and `38;2;r;g;b` any colour.
      const length = numbers[i + 1] === 2 ? 4 : 2
      if (code === 38) style = { ...style, colour: nearest(numbers.slice(i + 1, i + 1 + length)) }
      i += length
    } else style = { ...style, ...meaningOf(code) }
  }
  return style
}

function meaningOf(code: number): Style {
  if (code === 0) return { colour: undefined, isBold: undefined, isFaint: undefined }
  if (code === 1) return { isBold: true }
  if (code === 2) return { isFaint: true }
  if (code === 22) return { isBold: undefined, isFaint: undefined }
  if (code === 39) return { colour: undefined }
  if (code >= 30 && code <= 37) return { colour: colours[code - 30] }
  if (code >= 90 && code <= 97) return { colour: colours[code - 90] }
  return {}
}

/** The one of the eight colours that is nearest, so that every line can be read in both themes. */
function nearest([kind, ...values]: number[]): Colour | undefined {
  if (kind === 2) return ofRgb(values)
  const [n] = values
  if (kind !== 5 || n === undefined) return undefined
  if (n < 16) return colours[n % 8]
  // From 232 on they are greys; before, a cube of six steps for each of red, green and blue.
  if (n >= 232) return undefined
  return ofRgb([Math.floor((n - 16) / 36) * 51, (Math.floor((n - 16) / 6) % 6) * 51, ((n - 16) % 6) * 51])
}

function ofRgb([red = 0, green = 0, blue = 0]: number[]): Colour | undefined {
  const most = Math.max(red, green, blue)
  // Too grey to be called a colour.
  if (most - Math.min(red, green, blue) < 40) return undefined
  const bit = (value: number) => (value > most / 2 ? 1 : 0)
  return colours[bit(red) + 2 * bit(green) + 4 * bit(blue)]
}

/** Cuts pieces where a search has found something. `found` has every second part of the text as a match. */
export function marked(pieces: readonly Piece[], found: readonly string[]): (Piece & { isFound: boolean })[] {
  const cut: (Piece & { isFound: boolean })[] = []
  let [part, at] = [0, 0]
  for (const piece of pieces) {
    let { text } = piece
    while (text !== '' && part < found.length) {
      const room = found[part]!.length - at
      const taken = text.slice(0, room)
      if (taken !== '') cut.push({ ...piece, text: taken, isFound: part % 2 === 1 })
      text = text.slice(taken.length)
      at += taken.length
      if (at === found[part]!.length) [part, at] = [part + 1, 0]
    }
  }
  return cut
}
