// What was found in the directory and at the other platform: everything that the report shows and the steps create.
import { Findings } from './findings.ts'
import type { HeaderBlock } from './rules/rule-lines.ts'

export type PlatformId = 'vercel' | 'netlify'
export type Scope = 'runtime' | 'build' | 'both'

export interface ImportedVariable {
  key: string
  value: string
  scope: Scope
  /** The file or API that it comes from. */
  source: string
}

export interface BuildSettings {
  install_cmd?: string | undefined
  build_cmd?: string | undefined
  /** Relative to `root_dir`. */
  output_dir?: string | undefined
  root_dir?: string | undefined
  previews?: boolean | undefined
}

interface ImportedCron {
  schedule: string
  path: string
}

export class Imported {
  readonly platform: PlatformId
  readonly findings = new Findings()
  build: BuildSettings = {}
  /** The platform's name of the framework, such as `nextjs`. */
  framework: string | undefined
  /** The variables by key. A variable that is added later wins. */
  readonly variables = new Map<string, ImportedVariable>()
  /** Names of variables whose values the other platform does not return. */
  readonly secrets = new Set<string>()
  crons: ImportedCron[] = []
  /** Lines of `_redirects`. */
  redirects: string[] = []
  headers: HeaderBlock[] = []
  domains: string[] = []
  /** The repository at GitHub, `owner/name`, that the other platform is connected to. */
  repository: string | undefined
  branch: string | undefined

  constructor(platform: PlatformId) {
    this.platform = platform
  }

  setVariable(variable: ImportedVariable): void {
    this.variables.set(variable.key, variable)
    this.secrets.delete(variable.key)
  }
}

export const platformNames: Record<PlatformId, string> = { vercel: 'Vercel', netlify: 'Netlify' }
