import type { AdminCertificate } from '@svc/contract'
import { Link } from 'wouter'
import { EndlessList } from '../../components/endless-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { formatDay } from '../../format.ts'
import { href } from '../../paths.ts'
import rows from '../orgs/rows.module.css'
import styles from './admin.module.css'
import { certificateList } from './admin.ts'
import { AdminLayout } from './admin-layout.tsx'

const states: Record<AdminCertificate['state'], string> = {
  none: 'No certificate',
  unproved: 'Waiting for the proof of the domain',
  pending: 'Waiting',
  issuing: 'Being issued',
  valid: 'Valid',
  failed: 'Failed',
}

export function AdminCertificatesPage() {
  return (
    <AdminLayout tab="Certificates">
      <Loaded resource={certificateList.use()} rows={5} label="Loading certificates">
        {page => (
          <>
            {page.rows.length === 0 ? (
              <p className={styles.soft}>No project has a custom domain.</p>
            ) : (
              <Rows columns="minmax(0, 1fr) 15rem 14rem" label="Certificates">
                {page.rows.map(certificate => (
                  <CertificateRow key={certificate.name} certificate={certificate} />
                ))}
              </Rows>
            )}
            <EndlessList list={certificateList} shown={page} />
          </>
        )}
      </Loaded>
    </AdminLayout>
  )
}

function CertificateRow({ certificate }: { certificate: AdminCertificate }) {
  const { name, project, state, expires_at, error, waiting_for } = certificate
  const trouble = error ?? waiting_for
  return (
    <Row>
      <div>
        <p className={rows.name}>{name}</p>
        {trouble && <p className={styles.trouble}>{trouble}</p>}
      </div>
      <p className={styles.soft}>
        {project ? (
          <Link href={href('/projects/:name/domains', { name: project })}>{project}</Link>
        ) : (
          'This platform'
        )}
      </p>
      <p className={styles.soft}>
        {states[state]}
        {expires_at && `, expires ${formatDay(expires_at)}`}
      </p>
    </Row>
  )
}
