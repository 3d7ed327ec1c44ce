// Refusals that several operations on deployments share.
import { Fault } from '../../lib/fault.ts'
import type { ProjectWithOrg } from '../../store/projects/projects.ts'

export const projectIsGone = ({ name }: ProjectWithOrg): Fault =>
  new Fault('not_found', `The project '${name}' was deleted meanwhile.`)

export const noSuchDeployment = (id: string): Fault =>
  new Fault('not_found', `There is no deployment '${id.slice(0, 60)}' in this project.`)
