// The share links of a project's protected previews, with a button to revoke each.
import type { PreviewLink } from '@svc/contract'
import { useState } from 'react'
import { call } from '../../api.ts'
import { IconButton } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Command } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import styles from '../../components/row-text.module.css'
import { Row, Rows } from '../../components/rows.tsx'
import { Section } from '../../components/section.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { notify } from '../../components/toasts.tsx'
import { bareUrl } from '../../format.ts'
import { useResource } from '../../resource.ts'

export function PreviewLinks({ project }: { project: string }) {
  const resource = useResource(`share links of ${project}`, () =>
    call('GET /projects/:name/preview-links', { params: { name: project } }),
  )
  const [revoking, setRevoking] = useState<PreviewLink>()

  async function revoke({ id }: PreviewLink) {
    await call('DELETE /projects/:name/preview-links/:id', { params: { name: project, id } })
    await resource.refresh()
    notify({ tone: 'ok', text: 'The share link was revoked.' })
  }

  return (
    <Section
      title="Share links"
      lead="Everyone with such a link sees one protected preview, without a password and without an account."
    >
      <Loaded resource={resource} rows={1} label="Loading share links">
        {({ links }) =>
          links.length === 0 ? (
            <Empty>
              <p>No share links. Press Share on the page of a deployment, or use your terminal:</p>
              <Command>{`svc previews share <branch> --project ${project}`}</Command>
            </Empty>
          ) : (
            <Rows columns="minmax(0, 1fr) auto auto" end="side">
              {links.map(link => (
                <Row key={link.id}>
                  <div>
                    <p className={styles.name}>{link.branch ?? link.deployment_id}</p>
                    <p className={styles.soft}>{bareUrl(link.preview_url)}</p>
                  </div>
                  <p className={styles.soft}>
                    Created <TimeAgo at={link.created_at} />
                    {link.created_by && ` by ${link.created_by}`}, until{' '}
                    {link.expires_at.slice(0, 16).replace('T', ' ')} UTC
                  </p>
                  <IconButton
                    size="small"
                    icon="trash"
                    label={`Revoke the link to ${link.branch ?? link.deployment_id}`}
                    onClick={() => setRevoking(link)}
                  />
                </Row>
              ))}
            </Rows>
          )
        }
      </Loaded>
      {revoking && (
        <ConfirmDialog
          title="Revoke this share link?"
          action="Revoke"
          keep="Keep it"
          run={() => revoke(revoking)}
          onClose={() => setRevoking(undefined)}
        >
          <p>The link stops working at once, also for visitors who opened it before.</p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
