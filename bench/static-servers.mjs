// The servers that the mixed site is compared with. Each listens twice, plain and by TLS with HTTP/2, on one core, and serves
// the same compressed files.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findTool } from '../scripts/tools.mjs'
import { child, freePort } from './children.mjs'

/** For the domain, all names below it, and localhost, by which wrk asks. */
export function makeCertificate(dir, domain) {
  const [cert, key] = [join(dir, 'bench.pem'), join(dir, 'bench.key')]
  const names = `subjectAltName=DNS:${domain},DNS:*.${domain},DNS:localhost`
  const subject = ['-subj', `/CN=${domain}`, '-addext', names]
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key]
  execFileSync('openssl', ['req', '-x509', ...newKey, '-days', '2', ...subject, '-out', cert], {
    stdio: 'ignore',
  })
  return { cert, key }
}

export async function startStaticNginx(dir, root, { cert, key }) {
  const [port, tlsPort] = [await freePort(), await freePort()]
  const file = join(dir, 'static-nginx.conf')
  writeFileSync(
    file,
    `worker_processes 1; daemon off; pid ${dir}/static-nginx.pid; error_log ${dir}/static-nginx.log;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 4096; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; gzip_static on;
  open_file_cache max=2000; open_file_cache_valid 60s;
  types { text/html html; text/css css; text/javascript js; image/webp webp; font/woff2 woff2; }
  client_body_temp_path ${dir}; proxy_temp_path ${dir}; fastcgi_temp_path ${dir}; uwsgi_temp_path ${dir}; scgi_temp_path ${dir};
  ssl_certificate ${cert}; ssl_certificate_key ${key};
  server { listen 127.0.0.1:${port}; listen 127.0.0.1:${tlsPort} ssl http2; root ${root}; }
}
`,
  )
  return { ...(await child([findTool('nginx'), '-c', file, '-e', `${dir}/static-nginx.log`], port)), tlsPort }
}

export async function startStaticCaddy(dir, root, { cert, key }, host) {
  const [port, tlsPort] = [await freePort(), await freePort()]
  const [file, home] = [join(dir, 'static-Caddyfile'), join(dir, 'static-caddy-home')]
  mkdirSync(home)
  const serve = `root * ${root}\n file_server {\n precompressed gzip\n }`
  writeFileSync(
    file,
    `{\n admin off\n auto_https off\n}
http://:${port} {\n ${serve}\n}
https://localhost:${tlsPort}, https://${host}:${tlsPort} {\n tls ${cert} ${key}\n ${serve}\n}\n`,
  )
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home, GOMAXPROCS: '1' }
  const command = [findTool('caddy'), 'run', '--config', file, '--adapter', 'caddyfile']
  return { ...(await child(command, port, env)), tlsPort }
}

/** HAProxy before an nginx: both on the same core. Processor time is of both together. */
export async function startHaproxy(dir, { port: behind, pid: nginxPid }, { cert, key }) {
  const [port, tlsPort] = [await freePort(), await freePort()]
  const [file, pem] = [join(dir, 'haproxy.cfg'), join(dir, 'haproxy.pem')]
  writeFileSync(pem, `${readFileSync(cert)}${readFileSync(key)}`)
  writeFileSync(
    file,
    `global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend all
  bind 127.0.0.1:${port}
  bind 127.0.0.1:${tlsPort} ssl crt ${pem} alpn h2,http/1.1
  default_backend nginx
backend nginx
  server nginx 127.0.0.1:${behind}
`,
  )
  const haproxy = await child([findTool('haproxy'), '-db', '-f', file], port)
  return { ...haproxy, tlsPort, pids: [haproxy.pid, nginxPid] }
}
