/** Kodi with its add-on IPTV Simple Client (Debian's packages) on a virtual screen, controlled by JSON-RPC. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.ts';

const PROGRAM = '/usr/lib/x86_64-linux-gnu/kodi/kodi.bin';
const ADDON = 'pvr.iptvsimple';
const ADDON_FOLDER = `/usr/share/kodi/addons/${ADDON}`;

export const hasKodi =
  Bun.which('xvfb-run') !== null &&
  (await Bun.file(PROGRAM).exists()) &&
  (await Bun.file(join(ADDON_FOLDER, 'addon.xml')).exists());

interface KodiChannel {
  readonly channelid: number;
  readonly label: string;
  readonly icon: string;
  readonly channelnumber: number;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise<void>((done) => server.close(() => done()));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function settingsXml(settings: Readonly<Record<string, string | number | boolean>>): string {
  const lines = Object.entries(settings).map(([id, value]) => `  <setting id="${id}">${value}</setting>`);
  return `<settings version="2">\n${lines.join('\n')}\n</settings>\n`;
}

export class Kodi {
  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private readonly child: Bun.Subprocess,
  ) {}

  /** @param base of playlist and guide */
  static async start(base: string): Promise<Kodi> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-kodi-'));
    const port = await freePort();
    const data = join(folder, '.kodi', 'userdata');
    const own = join(data, 'addon_data', ADDON);
    mkdirSync(own, { recursive: true });
    const web = { 'services.webserver': true, 'services.webserverport': port };
    writeFileSync(
      join(data, 'guisettings.xml'),
      settingsXml({ ...web, 'services.webserverauthentication': false, 'general.addonupdates': 2 }),
    );
    writeFileSync(
      join(own, 'settings.xml'),
      settingsXml({
        ...{ m3uPathType: 1, m3uUrl: `${base}/playlist.m3u`, m3uCache: false },
        ...{ epgPathType: 1, epgUrl: `${base}/guide.xml`, epgCache: false },
      }),
    );
    // The sound has nowhere to go.
    writeFileSync(join(folder, '.asoundrc'), 'pcm.!default { type null }\nctl.!default { type null }\n');
    const screen = ['xvfb-run', '-a', '-s', '-screen 0 640x360x24'];
    const child = Bun.spawn([...screen, PROGRAM, '--windowing=x11', '--audio-backend=alsa'], {
      env: { ...process.env, HOME: folder, LIBGL_ALWAYS_SOFTWARE: '1' },
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    const kodi = new Kodi(folder, port, child);
    await until('Kodi answers', () =>
      kodi.call('JSONRPC.Ping').then(
        () => true,
        () => false,
      ),
    );
    await kodi.call('Addons.SetAddonEnabled', { addonid: ADDON, enabled: true });
    return kodi;
  }

  async call<T>(method: string, params: object = {}): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${this.port}/jsonrpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: T; error?: { message: string } };
    if (result === undefined) throw new Error(`${method}: ${error?.message}`);
    return result;
  }

  /** None while its television is still starting. */
  async channels(): Promise<KodiChannel[]> {
    const asked = { channelgroupid: 'alltv', properties: ['icon', 'channelnumber'] };
    const found = this.call<{ channels?: KodiChannel[] }>('PVR.GetChannels', asked);
    return (await found.catch(() => undefined))?.channels ?? [];
  }

  async titles(channelid: number): Promise<string[]> {
    const { broadcasts = [] } = await this.call<{ broadcasts?: { title: string }[] }>('PVR.GetBroadcasts', {
      channelid,
      properties: ['title'],
    });
    return broadcasts.map(({ title }) => title);
  }

  play(channelid: number): Promise<string> {
    return this.call('Player.Open', { item: { channelid } });
  }

  /** What is decoded now. */
  shown(): Promise<Record<string, string>> {
    return this.call('XBMC.GetInfoLabels', {
      labels: [
        'VideoPlayer.ChannelName',
        'VideoPlayer.VideoCodec',
        'VideoPlayer.AudioCodec',
        'Player.Process(videowidth)',
      ],
    });
  }

  async stop(): Promise<void> {
    const players = await this.call<{ playerid: number }[]>('Player.GetActivePlayers');
    for (const { playerid } of players) await this.call('Player.Stop', { playerid });
  }

  log(): Promise<string> {
    return Bun.file(join(this.folder, '.kodi', 'temp', 'kodi.log')).text();
  }

  async close(): Promise<void> {
    await this.call('Application.Quit').catch(() => this.child.kill());
    await this.child.exited;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
