/** A station's logo from the air, or its monogram until one arrived. Decorative: the name stands beside it. */
import { useEffect, useState } from 'preact/hooks';
import type { Station } from '../../lib/wire/api.ts';
import { connection } from '../device/connection.ts';
import { monogram } from './monogram.ts';

export function Logo({ station }: { station: Pick<Station, 'id' | 'name' | 'logo'> }) {
  const [broken, setBroken] = useState<string | null>(null);
  const connected = connection.value === 'open';
  // What could not be read while the service was away is there when it is back.
  useEffect(() => {
    if (connected) setBroken(null);
  }, [connected]);
  if (station.logo !== null && station.logo !== broken) {
    return (
      <span class="logo" aria-hidden="true">
        <img src={station.logo} alt="" loading="lazy" onError={() => setBroken(station.logo)} />
      </span>
    );
  }
  const { text, hue } = monogram(station.name, station.id);
  return (
    <span
      class="logo logo-mono"
      style={{ '--hue': hue }}
      data-long={text.length > 2 ? '' : undefined}
      aria-hidden="true"
    >
      {text}
    </span>
  );
}
