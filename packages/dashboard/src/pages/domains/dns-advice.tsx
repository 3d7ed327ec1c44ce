// Exactly which DNS record to create, and what is there instead.
import type { Certificate } from '@svc/contract'
import type { ReactNode } from 'react'
import { CopyButton } from '../../components/copy.tsx'
import { useNow } from '../../components/time-ago.tsx'
import { formatIn } from '../../format.ts'
import styles from './dns-advice.module.css'

interface DnsAdviceProps {
  certificate: Certificate
  /** The TXT record that proves who owns the domain. Missing if none is needed. */
  proof: DnsRecord | null | undefined
  children: ReactNode
}

export function DnsAdvice({ certificate, proof, children }: DnsAdviceProps) {
  const { dns, issuance } = certificate
  const now = useNow()
  return (
    <div className={styles.advice}>
      {dns.points_here ? <p>The DNS is right.</p> : <Records create={dns.create} />}
      {proof && (
        <>
          <p>Or prove that the domain is yours before you point it here, with this record:</p>
          <RecordTable records={[proof]} />
        </>
      )}
      <p className={styles.found}>
        <span>Found now:</span> <code>{wordsFor(dns.found) || 'no record'}</code>
      </p>
      <footer className={styles.foot}>
        <p>{issuance.next_attempt_at && `Looked at again ${formatIn(issuance.next_attempt_at, now)}.`}</p>
        {children}
      </footer>
    </div>
  )
}

type Dns = Certificate['dns']
type DnsRecord = Pick<Dns['create'][number], 'name' | 'value'> & { type: string }

function Records({ create }: { create: Dns['create'] }) {
  const others = create.slice(1)
  return (
    <>
      <p>
        {others.length === 0
          ? 'Create this record at your DNS provider:'
          : 'Create the first record at your DNS provider; where it has no ALIAS or ANAME records, all of the others:'}
      </p>
      <RecordTable records={create} />
    </>
  )
}

/** DNS records to copy. */
export function RecordTable({ records }: { records: readonly DnsRecord[] }) {
  return (
    <table className={styles.records}>
      <thead>
        <tr>
          <th scope="col">Type</th>
          <th scope="col">Name</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {records.map(record => (
          <tr key={`${record.type} ${record.value}`}>
            <td>{record.type}</td>
            <Cell what="name" text={record.name} />
            <Cell what="value" text={record.value} />
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Cell({ what, text }: { what: string; text: string }) {
  return (
    <td>
      <span className={styles.cell}>
        <code>{text}</code>
        <CopyButton text={text} label={`Copy the ${what} ${text}`} />
      </span>
    </td>
  )
}

const wordsFor = ({ cname, a, aaaa }: Dns['found']): string =>
  [
    ...cname.map(name => `CNAME ${name}`),
    ...a.map(address => `A ${address}`),
    ...aaaa.map(address => `AAAA ${address}`),
  ].join(', ')
