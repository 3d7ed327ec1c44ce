// The images that a Dockerfile builds on or copies from. It must name them: the engine also takes the id of an image, and the first
// two or three letters of an id are enough for it, so anybody could guess those of other people's images.
import { type Instruction, lineOf, readingsOf } from './dockerfile.ts'

type Values = Readonly<Record<string, string>>

/** The first line that could mean an image by its id. `args` are the values that the build gets for variables of ARG. */
export function imageById(dockerfile: string, args: Values): string | undefined {
  for (const instructions of readingsOf(dockerfile)) {
    const found = firstById(instructions, args)
    if (found) return lineOf(found)
  }
  return undefined
}

function firstById(instructions: readonly Instruction[], args: Values): Instruction | undefined {
  const stages = new Set<string>()
  const values = new Map<string, string>()
  const isStage = (name: string) => stages.has(name.toLowerCase())
  for (const instruction of instructions) {
    const { name, flags, words } = wordsOf(instruction)
    if (name === 'from') {
      const image = expanded(words[0] ?? '', values)
      if (!isStage(image) && mayBeId(image)) return instruction
      if (words[1]?.toLowerCase() === 'as' && words[2]) stages.add(words[2].toLowerCase())
    }
    // Only those before the first stage count in FROM.
    if (name === 'arg' && stages.size === 0) for (const word of words) declare(word, values, args)
    const sources = name === 'copy' || name === 'run' ? flags.flatMap(sourceIn) : []
    if (sources.some(source => !isStage(source) && !isIndex(source) && mayBeId(source))) return instruction
  }
  return undefined
}

/** Without quotes and escapes, which the engine takes off. */
function wordsOf({ name, rest }: Instruction) {
  const words = rest
    .replace(/["'\\`]/g, '')
    .split(/\s+/)
    .filter(Boolean)
  const first = words.findIndex(word => !word.startsWith('--'))
  const end = first < 0 ? words.length : first
  return { name, flags: words.slice(0, end), words: words.slice(end) }
}

function declare(word: string, values: Map<string, string>, args: Values): void {
  const [name = '', ...rest] = word.split('=')
  const given = Object.hasOwn(args, name) ? args[name] : undefined
  values.set(name, given ?? expanded(rest.join('='), values))
}

/** The image of `--from=<image>`, or of `--mount=…,from=<image>`. */
function sourceIn(flag: string): string[] {
  const [name, ...rest] = flag.split('=')
  const value = rest.join('=')
  if (name === '--from') return [value]
  if (name !== '--mount') return []
  return value.split(',').flatMap(part => (part.startsWith('from=') ? [part.slice('from='.length)] : []))
}

/** Replaces `$NAME`, `${NAME}` and `${NAME:-word}`. What else has a `$` stays as it is. */
const expanded = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replace(
    /\$(?:(\w+)|\{(\w+)(?::?-([^${}]*))?\})/g,
    (_, plain?: string, braced?: string, otherwise?: string) =>
      values.get(plain ?? braced ?? '') || (otherwise ?? ''),
  )

/** A name with a variable that cannot be read counts as an id. */
const mayBeId = (image: string): boolean => image.includes('$') || /^(?:sha256:)?[0-9a-f]{1,64}$/i.test(image)

/** A stage by its number. The engine reads only numbers of some length so. */
const isIndex = (source: string): boolean => /^\d{1,9}$/.test(source)
