/** nginx in front of the service: https, a path prefix, and the headers that docs/operating.md names. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NGINX = process.env.NGINX_PATH ?? '/usr/sbin/nginx';
const OPENSSL = process.env.OPENSSL_PATH ?? Bun.which('openssl') ?? '';
export const hasNginx = existsSync(NGINX) && existsSync(OPENSSL);

/** A free port, since nginx cannot choose one itself. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}

function configuration(folder: string, port: number, service: string): string {
  const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http {
  access_log off; ${kept.join(' ')}
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;
    location /tv/ {
      proxy_pass ${service}/;
      proxy_http_version 1.1;
      proxy_buffering off;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $http_connection;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Prefix /tv;
    }
  }
}
`;
}

export interface FrontProxy {
  /** With a trailing slash. */
  readonly base: string;
  close(): Promise<void>;
}

/** @param service address of the service without a trailing slash @throws Error with the output of nginx */
export async function startFrontProxy(port: number, service: string): Promise<FrontProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-nginx-'));
  const subject = [
    '-subj',
    '/CN=127.0.0.1',
    '-days',
    '2',
    '-keyout',
    `${folder}/key.pem`,
    '-out',
    `${folder}/cert.pem`,
  ];
  const made = Bun.spawnSync([OPENSSL, 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject]);
  if (made.exitCode !== 0) throw new Error(made.stderr.toString());
  writeFileSync(`${folder}/nginx.conf`, configuration(folder, port, service));
  const child = Bun.spawn([NGINX, '-p', folder, '-c', `${folder}/nginx.conf`, '-e', `${folder}/error.log`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const base = `https://127.0.0.1:${port}/tv/`;
  const isUp = () =>
    fetch(`${base}api/health`, { tls: { rejectUnauthorized: false } }).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`nginx: ${await new Response(child.stderr).text()}`);
    await Bun.sleep(20);
  }
  return {
    base,
    close: async () => {
      child.kill();
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
