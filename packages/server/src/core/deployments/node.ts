// The version of Node of a deployment: what its project asks for, and which of the platform's versions it gets.
import { chooseNode, type NodeRequest, type NodeVersions } from '@svc/contract/project'
import { Fault } from '../../lib/fault.ts'
import { findProjectNode } from '../../store/projects/nodes.ts'
import type { Db } from '../../store/store.ts'
import type { DeploymentRow } from '../../store/tables.ts'

/** What the project asks for in its settings. `undefined` if its files decide. */
export async function nodeOfSettings(db: Db, projectId: string): Promise<NodeRequest | undefined> {
  const range = await findProjectNode(db, projectId)
  return range === null ? undefined : { range, from: 'the settings of the project' }
}

type NodeFacts = Pick<DeploymentRow, 'node_asked' | 'node_version'>

export const noNode: NodeFacts = { node_asked: null, node_version: null }

/** Throws if the platform has no such version. */
export function nodeFacts(asked: NodeRequest | undefined, versions: NodeVersions): NodeFacts {
  const choice = chooseNode(asked, versions)
  if ('problem' in choice) throw new Fault('invalid_request', choice.problem)
  return { node_asked: asked?.range ?? null, node_version: choice.version ?? null }
}
