// One entry of an activity log as a sentence. Deployments in it are links.
import type { AuditEntry } from '@svc/contract'
import { Fragment } from 'react'
import { Link } from 'wouter'
import { href } from '../../../paths.ts'
import type { LogOwner } from './lists.ts'
import { sentenceOf } from './sentences.ts'

export function Sentence({ entry, of }: { entry: AuditEntry; of: LogOwner }) {
  return (
    <>
      <strong>{entry.actor ?? 'The platform'}</strong>{' '}
      {sentenceOf(entry, of).map((piece, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a sentence never move
        <Fragment key={at}>
          {typeof piece === 'string' ? piece : <Name name={piece.name} entry={entry} />}
        </Fragment>
      ))}
    </>
  )
}

function Name({ name, entry: { action, project, target } }: { name: string; entry: AuditEntry }) {
  const isDeployment = name === target && name.startsWith('dep_') && action !== 'deployment.delete'
  if (!isDeployment || !project) return <b>{name}</b>
  return (
    <Link href={href('/projects/:name/deployments/:deployment', { name: project, deployment: name })}>
      {name}
    </Link>
  )
}
