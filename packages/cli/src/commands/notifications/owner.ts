import { requireProject } from '../../link.ts'
import type { OptionValues } from '../../options.ts'

/** Whose notifications: those of the org in --org, or of the project. */
export const ownerIn = (options: OptionValues) =>
  options.org === undefined
    ? ({ base: 'projects', name: requireProject(options), flag: '' } as const)
    : ({ base: 'orgs', name: options.org, flag: ` --org ${options.org}` } as const)
