/** The picture of a recording; until there is one, the station's sign on the genre's colour. */
import { useState } from 'preact/hooks';
import type { Recording } from '../../lib/wire/api.ts';
import { stationById } from '../query/stations.ts';
import { Logo } from '../ui/logo.tsx';
import { majorGenre } from '../words/genre.ts';

/** Pictures that do not exist: not requested again while cells are redrawn. New recordings have new addresses. */
const absent = new Set<string>();
const MOST_ABSENT = 5_000;

function remember(address: string): void {
  if (absent.size >= MOST_ABSENT) absent.clear();
  absent.add(address);
}

/** The address of a picture that exists has a version; one that is saved on this device is its content. */
export const hasPicture = (address: string): boolean =>
  address.includes('?v=') || address.startsWith('blob:');

/** Pictures may have been created meanwhile. */
export function forgetAbsentPosters(): void {
  absent.clear();
}

export function Poster({ recording }: { recording: Recording }) {
  const { poster, serviceId, serviceName, genres } = recording;
  const [missing, setMissing] = useState('');
  const [shown, setShown] = useState('');
  const known = hasPicture(poster) && missing !== poster && !absent.has(poster);
  return (
    <span class="poster place-center inset-0" data-genre={majorGenre(genres)} aria-hidden="true">
      {shown === poster ? null : (
        <Logo station={{ id: serviceId, name: serviceName, logo: stationById(serviceId)?.logo ?? null }} />
      )}
      {known ? (
        <img
          class="poster-picture full-width full-height inset-0 layer-1"
          src={poster}
          alt=""
          loading="lazy"
          decoding="async"
          onLoad={() => setShown(poster)}
          onError={() => {
            remember(poster);
            setMissing(poster);
          }}
        />
      ) : null}
    </span>
  );
}
