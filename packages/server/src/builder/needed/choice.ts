// Chooses which files of node_modules are published: as many as a deployment may have. What the server certainly needs comes
// first, then what it may load by a name that it computes.
import { frameworks } from '@svc/contract/project'
import type { Package, PackageFile, Packages } from './packages.ts'

export interface Room {
  files: number
  bytes: number
  /** The size of one file. */
  fileBytes: number
}

export interface Choice {
  files: Set<PackageFile>
  packages: Set<Package>
  /** Says what is kept, and why. */
  summary: string
}

export interface Needs {
  /** The packages that the code of the server names in imports. `undefined` if nothing says which code runs. */
  named: Set<Package> | undefined
  /** Finds all files that the server loads, which takes long. `undefined` if the imports cannot be followed. */
  trace(): Promise<Set<string> | undefined>
  /** Whether the build bundled the packages that the code does not name, as those of frameworks do. */
  isBundled: boolean
  /** The dependencies of the project itself. */
  direct: Package[]
}

/** Returns the first choice that fits, from all files to those that are certainly loaded. The last one may not fit. */
export async function chooseFiles(packages: Packages, needs: Needs, room: Room): Promise<Choice> {
  let last: Choice | undefined
  for await (const choice of choices(packages, needs, room)) {
    last = choice
    if (fits(choice.files, room)) return choice
  }
  return last!
}

/** Node never loads type declarations and source maps. A package that reads declarations at run time is `typescript`. */
const isForTools = ({ path }: PackageFile, { name }: Package): boolean =>
  name !== 'typescript' && /\.(?:d\.[cm]?ts|(?:[cm]?[jt]s|css)\.map)$/.test(path)

const buildPackages = frameworks.flatMap(row => row.buildPackages ?? [])
/** A server in production does not load it. */
const isForBuilds = ({ name }: Package): boolean => buildPackages.some(begin => name.startsWith(begin))

async function* choices(
  packages: Packages,
  { named, trace, direct, isBundled }: Needs,
  room: Room,
): AsyncGenerator<Choice> {
  const all = new Set(packages.all.values())
  const isTooLarge = ({ bytes }: PackageFile) => bytes > room.fileBytes
  const mayLoadTooLarge = [...all].some(each => !isForBuilds(each) && each.files.some(isTooLarge))
  let traced = mayLoadTooLarge ? await trace() : undefined
  // A file that is too large fails the deployment, so it is published only if the server is known to load it.
  const allowed = (each: Package) => each.files.filter(file => !isTooLarge(file) || traced?.has(file.path))
  const publishable = (each: Package) =>
    allowed(each).filter(file => !isForTools(file, each) || traced?.has(file.path))
  const whole = (chosen: Set<Package>, summary: string, filesOf = publishable): Choice => ({
    files: new Set([...chosen].flatMap(filesOf)),
    packages: chosen,
    summary,
  })
  const imported = 'those that the server imports, with all of their dependencies'
  if (named && isBundled) yield whole(packages.withDependencies(named), imported, allowed)
  else {
    yield whole(all, 'all that are installed', allowed)
    yield whole(all, 'all that are installed, without type declarations and source maps')
  }
  if (!named) return
  traced = await trace()
  const loaded = new Set([...(traced ?? [])].flatMap(file => packages.ofFile(file) ?? []))
  yield whole(packages.withDependencies([...named, ...loaded]), imported)
  if (!traced) return
  const known = traced
  const reached = whole(
    loaded,
    'those from which the server loads files, and others that it may load while they fit',
  )
  if (fits(reached.files, room)) yield withPossible(packages, reached, direct, room, publishable)
  const isLoaded = ({ path }: PackageFile) => known.has(path) || path.endsWith('/package.json')
  yield {
    files: new Set([...loaded].flatMap(({ files }) => files.filter(isLoaded))),
    packages: loaded,
    summary: 'only the files that the server loads',
  }
}

/** Adds packages that the server may load by a computed name, each with its dependencies, the smallest first. */
function withPossible(
  packages: Packages,
  { files, packages: loaded, summary }: Choice,
  direct: Package[],
  room: Room,
  publishable: (each: Package) => PackageFile[],
): Choice {
  const dependencies = (kind: 'required' | 'optional') =>
    [...loaded].flatMap(each => each[kind].flatMap(name => packages.find(name, each.dir) ?? []))
  const chosen = { files: new Set(files), packages: new Set(loaded), summary }
  // Compiled parts of packages are optional dependencies.
  for (const possible of [dependencies('optional'), direct, dependencies('required')]) {
    const parts = [...new Set(possible)]
      .filter(each => !loaded.has(each))
      .map(each => {
        const added = packages.withDependencies([each])
        return { added, files: [...added].flatMap(publishable) }
      })
      .sort((a, b) => a.files.length - b.files.length)
    for (const part of parts) {
      const more = new Set([...chosen.files, ...part.files])
      if (!fits(more, room)) continue
      chosen.files = more
      for (const each of part.added) chosen.packages.add(each)
    }
  }
  return chosen
}

function fits(files: Set<PackageFile>, room: Room): boolean {
  let bytes = 0
  for (const file of files) bytes += file.bytes
  return files.size <= room.files && bytes <= room.bytes
}
