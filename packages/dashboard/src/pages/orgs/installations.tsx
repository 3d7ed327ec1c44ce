// The installations at the git host that an org may build from: shared by members, taken back by them or an admin.
import type { Installation, OrgDetail } from '@svc/contract'
import { type ReactNode, useState } from 'react'
import { call } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { notify } from '../../components/toasts.tsx'
import { titleOf } from '../../orgs.ts'
import { useResource } from '../../resource.ts'
import { may, mayUnshare } from '../../rights.ts'
import { useLogin } from '../../session.ts'
import { useWork } from '../../use-work.ts'
import styles from './installations.module.css'

interface Both {
  shared: Installation[]
  own: Installation[]
}

async function load(name: string): Promise<Both> {
  const [ofOrg, usable] = await Promise.all([
    call('GET /orgs/:name/installations', { params: { name } }),
    call('GET /github'),
  ])
  return { shared: ofOrg.installations, own: usable.installations.filter(({ mine }) => mine) }
}

export function Installations({ org }: { org: OrgDetail }) {
  const { name } = org
  const me = useLogin()
  const resource = useResource(`installations of ${name}`, () => load(name))
  const { refresh } = resource
  const [unsharing, setUnsharing] = useState<Installation>()
  const { doing, run } = useWork()

  async function share({ id, account }: Installation) {
    try {
      await call('POST /orgs/:name/installations', { params: { name }, body: { installation_id: id } })
      notify({ tone: 'ok', text: `${titleOf(org)} can now build from the repositories of ${account}.` })
    } finally {
      await refresh()
    }
  }

  async function unshare({ id, account }: Installation) {
    await call('DELETE /orgs/:name/installations/:id', { params: { name, id: String(id) } })
    notify({ tone: 'ok', text: `The repositories of ${account} are not shared any more.` })
    await refresh()
  }

  return (
    <Card
      title="Git repositories"
      lead={`Share your account at the git host, and ${titleOf(org)} can build from its repositories.`}
    >
      <Loaded resource={resource} rows={1} label="Loading installations">
        {data => (
          <Rows columns="minmax(0, 1fr) auto" end="side">
            {data.shared.map(installation => (
              <Row key={installation.id}>
                <Words installation={installation}>
                  shared by {installation.shared_by ?? 'a former member'}
                </Words>
                {mayUnshare(org.role, me, installation.shared_by) && (
                  <Button
                    size="small"
                    aria-label={`Stop sharing ${installation.account}`}
                    onClick={() => setUnsharing(installation)}
                  >
                    Stop sharing
                  </Button>
                )}
              </Row>
            ))}
            {data.own
              .filter(({ org: sharedWith }) => sharedWith !== name)
              .map(installation => (
                <Row key={installation.id}>
                  <Words installation={installation}>
                    {installation.org ? `yours, shared with ${installation.org}` : 'yours, not shared'}
                  </Words>
                  {!installation.org && may(org.role, 'POST /orgs/:name/installations') && (
                    <Button
                      size="small"
                      busy={doing === String(installation.id)}
                      aria-label={`Share ${installation.account}`}
                      onClick={() => run(() => share(installation), String(installation.id))}
                    >
                      Share
                    </Button>
                  )}
                </Row>
              ))}
          </Rows>
        )}
      </Loaded>
      {unsharing && (
        <ConfirmDialog
          title={`Stop sharing ${unsharing.account}?`}
          action="Stop sharing"
          keep="Keep it"
          run={() => unshare(unsharing)}
          onClose={() => setUnsharing(undefined)}
        >
          <p>Projects of {titleOf(org)} can no longer build from its repositories. Live sites stay live.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

function Words({ installation, children }: { installation: Installation; children: ReactNode }) {
  return (
    <p className={styles.words}>
      <Icon name="branch" />
      <span>
        <strong>{installation.account}</strong> <span className={styles.soft}>{children}</span>
      </span>
    </p>
  )
}
