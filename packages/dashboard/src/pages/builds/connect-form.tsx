// Connects a project to a repository, or changes how it is built.
import type { Repo } from '@svc/contract'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { CheckField } from '../../components/check-field.tsx'
import { type Choice, Choices } from '../../components/choices.tsx'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { notify } from '../../components/toasts.tsx'
import { href } from '../../paths.ts'
import { connectRepo, type RepoSettings } from './builds.ts'
import { takesPasswords, usesGitHub } from './github/github-sign-in.tsx'
import { RepositoryPicker } from './github/repository-picker.tsx'

interface ConnectDialogProps {
  project: string
  /** What a repository of this project would be called. */
  suggestion: string
  repo: Repo | null
  onClose: () => void
}

type Forge = NonNullable<RepoSettings['forge']>

const forges: Choice<Forge>[] = [
  { value: 'github', title: 'GitHub', note: 'A repository that the GitHub App is installed on.' },
  { value: 'builtin', title: 'Here', note: 'The platform hosts the repository. You push to it.' },
  {
    value: 'elsewhere',
    title: 'By its URL',
    note: 'Any public repository, or one at GitLab, Gitea or Forgejo with an access token.',
  },
]

const isUsed: Partial<Record<Forge, () => boolean>> = { github: usesGitHub, builtin: takesPasswords }

interface ForgeFieldProps {
  value: Forge
  onChoose: (forge: Forge) => void
}

/** Asks for the host of a repository, if there is a choice. */
export function ForgeField({ value, onChoose }: ForgeFieldProps) {
  const choices = forges.filter(({ value: forge }) => isUsed[forge]?.() ?? true)
  if (choices.length < 2) return null
  return (
    <Choices
      legend="Where is the repository?"
      name="forge"
      choices={choices}
      value={value}
      onChoose={onChoose}
    />
  )
}

export const settingsOf = (repo: Repo | null, suggestion: string): RepoSettings => ({
  repo: repo?.repo ?? (usesGitHub() ? '' : suggestion),
  forge: repo?.forge ?? (usesGitHub() ? 'github' : 'builtin'),
  branch: repo?.branch ?? 'main',
  build_cmd: repo?.build_cmd ?? '',
  install_cmd: repo?.install_cmd ?? '',
  output_dir: repo?.output_dir ?? '',
  root_dir: repo?.root_dir ?? '',
  previews: repo?.previews ?? true,
})

/** The settings that another host begins with. Elsewhere, the default branch has any name. */
export const atForge = (forge: Forge, suggestion = ''): Partial<RepoSettings> => ({
  ...{ forge, access_token: '', branch: forge === 'elsewhere' ? '' : 'main' },
  repo: forge === 'builtin' ? suggestion : '',
})

const optional = [
  {
    name: 'root_dir',
    label: 'Folder',
    placeholder: 'The whole repository',
    hint: 'Of a monorepo, such as apps/web.',
  },
  { name: 'install_cmd', label: 'Install command', placeholder: 'Detected by the lock file' },
  { name: 'build_cmd', label: 'Build command', placeholder: 'build of package.json' },
  { name: 'output_dir', label: 'Output folder', placeholder: 'Detected by the framework' },
] as const

const hintOf = (forge: RepoSettings['forge']): string =>
  forge === 'gitlab' || forge === 'gitea' || forge === 'public'
    ? 'The URL of the repository. Another one is connected anew: disconnect this one first.'
    : 'Owner and name. The owner is you or an organization of yours; the repository is made where it is missing.'

interface HostFieldsProps {
  settings: RepoSettings
  change: (changes: Partial<RepoSettings>) => void
}

/** The URL and the token of a repository at another git host. */
export const HostFields = ({ settings, change }: HostFieldsProps) => (
  <>
    <Field
      label="URL of the repository"
      name="repo"
      look="mono"
      type="url"
      data-autofocus
      placeholder="https://github.com/owner/name"
      value={settings.repo}
      onChange={event => change({ repo: event.target.value.trim() })}
    />
    <Field
      label="Access token (not for a public repository)"
      name="access_token"
      look="mono"
      type="password"
      autoComplete="off"
      value={settings.access_token ?? ''}
      hint="With one, every push is built. At GitLab it has the scope api and the role Maintainer; at Gitea and Forgejo it may write to repositories. Nobody can read it back."
      onChange={event => change({ access_token: event.target.value.trim() })}
    />
  </>
)

export const BranchField = ({ settings, change, isOptional }: HostFieldsProps & { isOptional: boolean }) => (
  <Field
    label={isOptional ? 'Production branch (optional)' : 'Production branch'}
    name="branch"
    look="mono"
    placeholder={isOptional ? 'The default branch' : undefined}
    value={settings.branch}
    onChange={event => change({ branch: event.target.value.trim() })}
  />
)

export function ConnectDialog({ project, suggestion, repo, onClose }: ConnectDialogProps) {
  const [settings, setSettings] = useState(() => settingsOf(repo, suggestion))
  const [, navigate] = useLocation()
  const isElsewhere = !repo && settings.forge === 'elsewhere'
  const change = (changes: Partial<RepoSettings>) => setSettings({ ...settings, ...changes })

  async function run() {
    const connected = await connectRepo(project, settings)
    notify({ tone: 'ok', text: `${connected.repo} is connected.` })
    onClose()
    if (connected.build_id)
      navigate(href('/projects/:name/git/:build', { name: project, build: connected.build_id }))
  }

  return (
    <FormDialog
      title={repo ? 'Build settings' : 'Connect a repository'}
      action={repo ? 'Save' : 'Connect'}
      disabled={settings.repo.trim() === '' || (settings.branch.trim() === '' && !isElsewhere)}
      run={run}
      onClose={onClose}
    >
      {!repo && (
        <ForgeField
          value={settings.forge ?? 'github'}
          onChoose={forge => change(atForge(forge, suggestion))}
        />
      )}
      {!repo && settings.forge === 'github' ? (
        <RepositoryPicker
          value={settings.repo}
          onPick={picked => change({ repo: picked.full_name, branch: picked.default_branch })}
        />
      ) : isElsewhere ? (
        <HostFields settings={settings} change={change} />
      ) : (
        <Field
          label="Repository"
          name="repo"
          look="mono"
          data-autofocus
          placeholder="owner/name"
          value={settings.repo}
          hint={hintOf(settings.forge)}
          onChange={event => change({ repo: event.target.value.trim() })}
        />
      )}
      <BranchField isOptional={isElsewhere} settings={settings} change={change} />
      {optional.map(({ name, label, placeholder, ...rest }) => (
        <Field
          key={name}
          label={`${label} (optional)`}
          name={name}
          look="mono"
          placeholder={placeholder}
          value={settings[name]}
          {...rest}
          onChange={event => change({ [name]: event.target.value })}
        />
      ))}
      <CheckField checked={settings.previews} onChange={previews => change({ previews })}>
        Build every other branch as a preview
      </CheckField>
    </FormDialog>
  )
}
