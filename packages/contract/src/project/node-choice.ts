// Which Node a project asks for, where that is written, and which one of those that the platform has is taken.
import { below, type ProjectFiles, projectIn, type SiteFiles } from './files.ts'
import { isIn, placeOfVersion, spansOf } from './node-range.ts'
import { parsePackageJson } from './package-json.ts'

export interface NodeRequest {
  /** As it is written: `>=18`, `lts/*`. */
  range: string
  /** Where it is written, for messages: `.nvmrc`. */
  from: string
}

/** The versions of Node that builds and apps can get. `22` stands for an image with a release of this line. */
export interface NodeVersions {
  /** The version for projects that ask for none. `undefined` if it is not known: an operator may name any image. */
  standard: string | undefined
  all: readonly string[]
}

const longestShown = 100

/** The files that name a version. The first one that does counts. */
const places: readonly { file: string; from: string; read(text: string): string | undefined }[] = [
  { file: '.nvmrc', from: '.nvmrc', read: firstLine },
  { file: '.node-version', from: '.node-version', read: firstLine },
  {
    file: 'package.json',
    from: 'engines in package.json',
    read: text => parsePackageJson(text)?.node?.trim(),
  },
]

/** Reads what the files of a folder ask for, or those of the folders above it up to `top`. */
export async function nodeAskedIn(
  files: Pick<ProjectFiles, 'read'>,
  dir: string,
  top = '',
): Promise<NodeRequest | undefined> {
  for (const { file, from, read } of places)
    for (const folder of upwards(dir, top)) {
      const range = read((await files.read(below(folder, file))) ?? '')
      if (range) return { range: range.slice(0, longestShown), from }
    }
  return undefined
}

export const nodeAskedBy = (site: SiteFiles): Promise<NodeRequest | undefined> =>
  nodeAskedIn(projectIn(site), '')

/** The first line that is not empty or a comment. */
function firstLine(text: string): string | undefined {
  const lines = text.split('\n').map(line => (line.split('#')[0] ?? '').trim())
  return lines.find(line => line !== '')
}

/** A folder and those above it, up to `top`. */
function* upwards(dir: string, top: string): Generator<string> {
  for (let folder = dir; ; folder = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : '') {
    yield folder
    if (folder === top || folder === '') return
  }
}

/** `words` are for the log of the build. */
type NodeChoice = { version: string | undefined; words: string } | { problem: string }

/** Takes the newest version that satisfies the request. */
export function chooseNode(asked: NodeRequest | undefined, { standard, all }: NodeVersions): NodeChoice {
  if (!asked) return { version: standard, words: `Node${standard ? ` ${standard}` : ''}, the platform's own` }
  const { range, from } = asked
  const spans = spansOf(range)
  if (!spans) return { problem: `'${range}' (${from}) is not a version of Node. ${examples}` }
  const version = newestFirst(all).find(it => isIn(spans, it))
  if (version !== undefined) return { version, words: `Node ${version}, asked for by ${from}: ${range}` }
  return { problem: `The project asks for Node ${range} (${from}). ${whatThereIs(all)} ${remedies}` }
}

export const newestFirst = (versions: readonly string[]): string[] =>
  [...versions].sort((one, other) => placeOfVersion(other) - placeOfVersion(one))

const whatThereIs = (all: readonly string[]): string =>
  all.length === 0
    ? 'This platform does not know which versions it has.'
    : `This platform has ${newestFirst(all).join(', ')}.`

const examples = 'Write one such as 22, 22.12.0, >=20 or lts/*.'
const remedies =
  "Change it there, choose another version for the project ('svc projects node'), or ask the operator to add this one (SVCD_NODE_DIR, with containers SVCD_NODE_IMAGES)."

/** The version that a stored deployment starts with now: the one that it was made for, or else another that it asks for. */
export function nodeOfDeployment(
  { asked, version }: { asked: string | null; version: string | null },
  versions: NodeVersions,
): NodeChoice {
  if (asked === null) return chooseNode(undefined, versions)
  if (version !== null && versions.all.includes(version)) return { version, words: '' }
  return chooseNode({ range: asked, from: 'at its deploy' }, versions)
}
