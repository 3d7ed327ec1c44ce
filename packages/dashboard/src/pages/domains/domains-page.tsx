// The custom domains of a project: which DNS record each needs, and how its certificate is doing.
import type { Domain } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Command } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { LongList } from '../../components/long-list.tsx'
import { Section } from '../../components/section.tsx'
import { config } from '../../config.ts'
import { useAddInUrl } from '../../use-add-in-url.ts'
import { ProjectLayout } from '../projects/project/project-layout.tsx'
import { AttachDialog } from './attach-dialog.tsx'
import { DetachDialog } from './detach-dialog.tsx'
import { DomainCard } from './domain-card.tsx'
import styles from './domains-page.module.css'
import { TargetDialog } from './target-dialog.tsx'

export function DomainsPage() {
  return (
    <ProjectLayout tab="Domains">
      {({ name, domains, url }) => <Domains project={name} domains={domains} url={url} />}
    </ProjectLayout>
  )
}

type Asking = { to: 'attach' } | { to: 'retarget' | 'detach'; domain: Domain }

interface DomainsProps {
  project: string
  domains: readonly Domain[]
  url: string
}

function Domains({ project, domains, url }: DomainsProps) {
  const [asking, setAsking] = useState<Asking>()
  useAddInUrl(() => setAsking({ to: 'attach' }))
  const close = () => setAsking(undefined)
  return (
    <Section
      title="Domains"
      lead={
        config().certificates
          ? 'Show the site at your own domains, with certificates that renew themselves.'
          : 'Show the site at your own domains. This platform issues no certificates for them.'
      }
      actions={
        <Button look="primary" icon="plus" onClick={() => setAsking({ to: 'attach' })}>
          Add domain
        </Button>
      }
    >
      {domains.length === 0 && <None project={project} url={url} />}
      <LongList rows={domains} noun="domain" textOf={({ domain }) => domain}>
        {shown => (
          <div className={styles.cards}>
            {shown.map(domain => (
              <DomainCard
                key={domain.domain}
                project={project}
                domain={domain}
                onRetarget={() => setAsking({ to: 'retarget', domain })}
                onDetach={() => setAsking({ to: 'detach', domain })}
              />
            ))}
          </div>
        )}
      </LongList>
      {asking?.to === 'attach' && <AttachDialog project={project} onClose={close} />}
      {asking?.to === 'retarget' && (
        <TargetDialog project={project} domain={asking.domain} domains={domains} onClose={close} />
      )}
      {asking?.to === 'detach' && (
        <DetachDialog project={project} domain={asking.domain.domain} onClose={close} />
      )}
    </Section>
  )
}

const certificateComes =
  'That is all: the certificate is issued as soon as the record is seen, usually within a minute.'
const certificateMissing =
  'The site is then at http://. For https://, a proxy in front of the platform needs a certificate, or the operator sets SVCD_ACME_DIRECTORY.'

function None({ project, url }: { project: string; url: string }) {
  return (
    <Empty title="No domains yet">
      <p>The site is at {url}. To show it at a domain of yours:</p>
      <ol>
        <li>Add the domain here, or from your terminal.</li>
        <li>Create the one DNS record that is shown then, where you bought the domain.</li>
        <li>{config().certificates ? certificateComes : certificateMissing}</li>
      </ol>
      <Command>{`svc domains add www.example.com --project ${project}`}</Command>
    </Empty>
  )
}
