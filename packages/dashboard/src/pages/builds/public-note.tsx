// How the pushes to a public repository are built, of which its git host does not tell the platform.
import type { Repo } from '@svc/contract'
import { Notice } from '../../components/notice.tsx'

export function PublicNote({ repo: { repo, branch } }: { repo: Repo }) {
  const host = new URL(repo).host
  return (
    <Notice tone="info">
      <p>
        The platform is not told of pushes to this repository. To build each push, create a deploy hook below,
        and enter its URL as a webhook in the settings of the repository at {host}. Until then,{' '}
        <strong>Build {branch} now</strong> builds its newest commit.
      </p>
    </Notice>
  )
}
