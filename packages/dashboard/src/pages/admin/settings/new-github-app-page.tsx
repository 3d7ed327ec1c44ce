// GitHub leads here after it has made the App of the platform.
import { useEffect, useState } from 'react'
import { explain } from '../../../api.ts'
import { LinkButton } from '../../../components/button.tsx'
import { Card } from '../../../components/card.tsx'
import { Notice } from '../../../components/notice.tsx'
import { href } from '../../../paths.ts'
import { AdminLayout } from '../admin-layout.tsx'
import { finishGitHubApp } from './settings.ts'

interface Made {
  slug: string
  page: string
}

export function NewGitHubAppPage() {
  const [made, setMade] = useState<Made>()
  const [error, setError] = useState<string>()
  useEffect(() => {
    const query = new URLSearchParams(location.search)
    if (query.has('code')) finishGitHubApp(query).then(setMade, failure => setError(explain(failure)))
    else setError('GitHub sent no code. Create the GitHub App again from the settings.')
  }, [])
  return (
    <AdminLayout tab="Settings">
      <Card title={made ? `The GitHub App ${made.slug} is ready` : 'The new GitHub App'}>
        {error && <Notice tone="error">{error}</Notice>}
        {!made && !error && <p>Fetching the keys of the App…</p>}
        {made && (
          <p>
            Its keys are stored. One thing is left that only you can do: open{' '}
            <a href={made.page} target="_blank" rel="noreferrer">
              the page of the App
            </a>
            , turn on <b>Enable Device Flow</b>, and save. Then restart the platform from the settings.
          </p>
        )}
        <LinkButton href={href('/admin/settings')}>Go to the settings</LinkButton>
      </Card>
    </AdminLayout>
  )
}
