// Brings a member to a site of their org: takes a one-time link from the API and follows it.
import { useCallback, useEffect, useState } from 'react'
import { useSearch } from 'wouter'
import { call, codeOf, explain } from '../../api.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { Gate } from '../../components/gate.tsx'
import { href } from '../../paths.ts'
import { endSession, session } from '../../session.ts'
import styles from './enter-page.module.css'

export function EnterPage() {
  const query = new URLSearchParams(useSearch())
  const [name, host, to] = [query.get('project') ?? '', query.get('host') ?? '', query.get('to') ?? '/']
  const [error, setError] = useState<unknown>()
  const current = session.use()
  const login = current.state === 'signed in' ? current.account.gitforge_login : ''

  const enter = useCallback(async () => {
    setError(undefined)
    try {
      const { url } = await call('POST /projects/:name/access/code', { params: { name }, body: { host, to } })
      // The way back leads to where the visitor came from, not here again.
      location.replace(url)
    } catch (failure) {
      setError(failure)
    }
  }, [name, host, to])
  useEffect(() => void enter(), [enter])

  if (error === undefined) return <Gate title="One moment" lead={`Taking you to ${host}.`} />
  if (codeOf(error) === 'not_found')
    return (
      <Gate
        title="You cannot see this site"
        lead={
          <>
            <strong>{host}</strong> is for members of the org that owns it, and <strong>{login}</strong> is
            not one of them. Ask someone there for an invite.
          </>
        }
      >
        <div className={styles.ways}>
          <Button onClick={() => endSession()}>Use another account</Button>
          <LinkButton href={href('/')} look="quiet">
            Go to your projects
          </LinkButton>
        </div>
      </Gate>
    )
  return (
    <Gate title="This did not work" lead={explain(error)}>
      <div className={styles.ways}>
        <Button onClick={() => void enter()}>Try again</Button>
        <LinkButton href={href('/')} look="quiet">
          Go to your projects
        </LinkButton>
      </div>
    </Gate>
  )
}
