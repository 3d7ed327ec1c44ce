// Deploy hooks: secret URLs that build a branch. A URL is shown once, when its hook is created.
import type { DeployHook, Repo } from '@svc/contract'
import { useState } from 'react'
import { call } from '../../api.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Command } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Loaded } from '../../components/loaded.tsx'
import styles from '../../components/row-text.module.css'
import { Row, Rows } from '../../components/rows.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { Section } from '../../components/section.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { notify } from '../../components/toasts.tsx'
import { useResource } from '../../resource.ts'

type Asking = { to: 'add' } | { to: 'revoke'; hook: DeployHook }

export function DeployHooks({ project, repo }: { project: string; repo: Repo }) {
  const resource = useResource(`deploy hooks of ${project}`, () =>
    call('GET /projects/:name/hooks', { params: { name: project } }),
  )
  const [asking, setAsking] = useState<Asking>()
  const close = () => setAsking(undefined)
  return (
    <Section
      title="Deploy hooks"
      lead="Secret URLs that build a branch, for a CMS or any service that cannot push."
      actions={<Button onClick={() => setAsking({ to: 'add' })}>Create a deploy hook</Button>}
    >
      <Loaded resource={resource} rows={1} label="Loading deploy hooks">
        {({ hooks }) =>
          hooks.length === 0 ? (
            <Empty>
              <p>No deploy hooks yet. Create one here, or from your terminal:</p>
              <Command>{`svc git hooks add "My CMS" --project ${project}`}</Command>
            </Empty>
          ) : (
            <Rows columns="minmax(0, 1fr) auto auto" end="side">
              {hooks.map(hook => (
                <HookRow key={hook.id} hook={hook} onRevoke={() => setAsking({ to: 'revoke', hook })} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      {asking?.to === 'add' && (
        <NewHookDialog
          project={project}
          branch={repo.branch}
          onCreated={() => void resource.refresh()}
          onClose={close}
        />
      )}
      {asking?.to === 'revoke' && (
        <RevokeHookDialog project={project} hook={asking.hook} onRevoked={resource.refresh} onClose={close} />
      )}
    </Section>
  )
}

function HookRow({ hook, onRevoke }: { hook: DeployHook; onRevoke: () => void }) {
  return (
    <Row>
      <div>
        <p className={styles.name}>{hook.name}</p>
        <p className={styles.soft}>
          Builds {hook.branch} · {hook.id}
        </p>
      </div>
      <p className={styles.soft}>
        {hook.last_used_at ? (
          <>
            Last used <TimeAgo at={hook.last_used_at} />
          </>
        ) : (
          'Never used'
        )}
      </p>
      <IconButton size="small" icon="trash" label={`Revoke ${hook.name}`} onClick={onRevoke} />
    </Row>
  )
}

interface NewHookDialogProps {
  project: string
  branch: string
  onCreated: () => void
  onClose: () => void
}

function NewHookDialog({ project, branch: production, onCreated, onClose }: NewHookDialogProps) {
  const [name, setName] = useState('')
  const [branch, setBranch] = useState(production)
  const [url, setUrl] = useState<string>()
  if (url)
    return (
      <SecretDialog
        title="Your deploy hook"
        secret={url}
        copyLabel="Copy the URL"
        warning="Copy it now. You won't see this URL again. Anyone who has it can start builds."
        onClose={onClose}
      >
        <p>A POST request to it builds {branch}. From your terminal:</p>
        <Command>{`curl -X POST ${url}`}</Command>
      </SecretDialog>
    )

  async function run() {
    const hook = await call('POST /projects/:name/hooks', {
      params: { name: project },
      body: { name, branch },
    })
    setUrl(hook.url)
    onCreated()
  }
  return (
    <FormDialog
      title="Create a deploy hook"
      action="Create"
      disabled={name.trim() === '' || branch.trim() === ''}
      run={run}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        data-autofocus
        autoComplete="off"
        placeholder="Contents of the CMS"
        value={name}
        hint="What will call it, so that you know it again."
        onChange={event => setName(event.target.value)}
      />
      <Field
        label="Branch"
        name="branch"
        look="mono"
        value={branch}
        hint="What it builds."
        onChange={event => setBranch(event.target.value.trim())}
      />
    </FormDialog>
  )
}

interface RevokeHookDialogProps {
  project: string
  hook: DeployHook
  onRevoked: () => Promise<void>
  onClose: () => void
}

function RevokeHookDialog({ project, hook, onRevoked, onClose }: RevokeHookDialogProps) {
  async function run() {
    await call('DELETE /projects/:name/hooks/:id', { params: { name: project, id: hook.id } })
    await onRevoked()
    notify({ tone: 'ok', text: `${hook.name} was revoked.` })
  }
  return (
    <ConfirmDialog
      title="Revoke this deploy hook?"
      action="Revoke"
      keep="Keep it"
      run={run}
      onClose={onClose}
    >
      <p>
        The URL of <strong>{hook.name}</strong> stops working at once. Builds that it started go on.
      </p>
    </ConfirmDialog>
  )
}
