// What the table of frameworks says about each one.
import type { FrameworkId } from './servers.ts'

/** What a program does, by its first argument that is not a flag. `*` matches any argument or none. */
export type ProgramUses = Readonly<Record<string, 'development' | ServerProgram>>
export interface ServerProgram {
  framework: FrameworkId
  /** A file that the deployment must have. `entry` is the file that the command names. */
  needs: string | undefined
}

export interface ServerOutput {
  /** `*` at the end stands for the name of the project. */
  folder: string
  framework: FrameworkId
  /** Where the packages of the server are: in its folder, bundled into its code, or still in the project's node_modules. */
  packages: 'inside' | 'bundled' | 'outside'
  /** In a monorepo the server lies deeper in the folder, at the path of its own package. */
  nests?: boolean
  /** It takes the place of a start script that starts this kind of server. */
  replacesStart?: FrameworkId
  /** How to make it, for a person who deploys the sources. */
  howToMake?: string
  /** Folders of the project that belong to the server, and that the build leaves out. */
  adds?: readonly string[]
}

interface Tool {
  /** What it builds, for messages: `a Hugo site`. */
  builds: string
  program: string
  /** The command that builds the site, as a person types it. */
  line: string
  /** The package of Debian that has it. `undefined` if there is none. */
  debian: string | undefined
  /** Another way to build it here. */
  hint?: string
}

export interface Framework {
  name: string
  /** Its names at Vercel and Netlify. */
  otherNames?: readonly string[]
  /** Dependencies of a project that is built with it. */
  packages: readonly string[]
  /** Words of a build script that runs it. */
  programs: readonly string[]
  /** Programs that start what it built: what each one does, by its first argument. */
  starts?: Readonly<Record<string, ProgramUses>>
  /** Scripts that build a site besides `build`, in a project that is nothing but the site. */
  buildScripts?: readonly string[]
  /** A project uses it, even without a package.json, if it has all paths of one of these lists. A folder ends with `/`. */
  marks?: readonly (readonly string[])[]
  /** The program that builds such a project, where the machine has it. */
  tool?: Tool
  /** Its sources have an index.html at the top, as its output does. */
  hasPageInSources?: boolean
  server?: ServerOutput
  /** Output folders of a static site, the most likely one first. Empty if the usual folders hold. */
  sites: readonly string[]
  /** The folder whose files the build copies to the top of its output. `undefined` if there is none. */
  assets: string | undefined
  /** Folders that make the next build quicker. */
  caches?: readonly string[]
  /** Variables that let the build make a server that can be published. */
  env?: Readonly<Record<string, string>>
  /** The same, where the build may change package.json, because nobody keeps its folder. */
  sandboxEnv?: Readonly<Record<string, string>>
  /** What to do if the build made nothing that can be published. */
  hint?: string
  /** Whether the build makes a server. With packages: if the project has one of them, or has none of them. */
  makesServer?: true | { with: readonly string[] } | { without: readonly string[] }
  /** What shows that the build makes a static site, although the framework makes servers. */
  isStatic?: { script?: RegExp; config?: RegExp }
  /** Its configuration: the files, one of which it reads, and the rules for requests that they may have. */
  config?: { files: readonly string[]; rules: readonly string[]; advice: { unless: RegExp; text: string } }
  /** The beginning of the names of packages that only builds load, and that are large. */
  buildPackages?: string
  /** Packages that make a build for another platform only, and what to use instead. */
  adapters?: Readonly<Record<string, string>>
}
