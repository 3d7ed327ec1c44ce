import { useState } from 'react'
import { call } from '../../../api.ts'
import { SecretDialog } from '../../../components/secret-dialog.tsx'
import { type NewToken, TokenForm } from '../../../components/token-form.tsx'
import { useOrgs } from '../../../orgs.ts'
import { useProjectNames } from '../../../project-names.ts'

const kinds = [
  {
    value: 'cli',
    title: 'API and command line',
    note: 'For svc in CI, as SVC_TOKEN. It can do all that you can, in all projects or in one.',
  },
  { value: 'ai', title: 'AI gateway', note: 'For programs that call models; it reaches nothing else.' },
] as const

interface NewTokenDialogProps {
  onCreated: () => Promise<void>
  onClose: () => void
}

export function NewTokenDialog({ onCreated, onClose }: NewTokenDialogProps) {
  const [secret, setSecret] = useState<string>()
  const projects = useProjectNames(useOrgs().data) ?? []
  if (secret)
    return (
      <SecretDialog
        title="Your new token"
        secret={secret}
        copyLabel="Copy the token"
        warning="Copy it now. It is shown this once, and nobody can show it again."
        onClose={onClose}
      />
    )

  async function create(kind: 'cli' | 'ai', token: NewToken) {
    setSecret((await call('POST /tokens', { body: { kind, ...token } })).token)
    void onCreated()
  }
  return (
    <TokenForm
      title="New token"
      kinds={kinds}
      projects={{ cli: projects.map(({ name }) => name) }}
      create={create}
      onClose={onClose}
    />
  )
}
