/** Coming recordings as an iCalendar feed (RFC 5545), for calendars of phones and of Home Assistant. Pure. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { quotedTitle } from '../model/quoted-title.ts';
import type { Reservation } from '../model/reservation.ts';

export type CalendarBooking = Pick<
  Reservation,
  'programId' | 'state' | 'name' | 'description' | 'startAt' | 'endAt' | 'updatedAt'
> & { station: string };

/** Longest line in octets, without its end. RFC 5545, 3.1. */
const MAX_LINE = 75;

const STATUS: Partial<Readonly<Record<Reservation['state'], string>>> = {
  scheduled: 'CONFIRMED',
  recording: 'CONFIRMED',
  conflict: 'TENTATIVE',
};

/** Bookings that are not to be recorded are left out: calendars remove what a feed no longer has. */
export function calendarText(bookings: readonly CalendarBooking[]): string {
  const events = bookings.flatMap((booking) => {
    const status = STATUS[booking.state];
    return status === undefined ? [] : eventLines(booking, status);
  });
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//svc//bookings//JA',
    'CALSCALE:GREGORIAN',
    'X-WR-CALNAME:録画予約',
    'X-PUBLISHED-TTL:PT15M',
    'REFRESH-INTERVAL;VALUE=DURATION:PT15M',
    ...events,
    'END:VCALENDAR',
    '',
  ]
    .map(folded)
    .join('\r\n');
}

function eventLines(booking: CalendarBooking, status: string): string[] {
  const { programId, name, description, startAt, endAt, updatedAt, station } = booking;
  const title = quotedTitle(name).slice(1, -1);
  return [
    'BEGIN:VEVENT',
    `UID:${programId}@svc`,
    `DTSTAMP:${utc(updatedAt)}`,
    // Larger with every change.
    `SEQUENCE:${Math.floor(updatedAt / 1000)}`,
    `DTSTART:${utc(startAt)}`,
    `DTEND:${utc(endAt)}`,
    `SUMMARY:${escaped(status === 'TENTATIVE' ? `⚠ ${title}` : title)}`,
    `LOCATION:${escaped(station)}`,
    `DESCRIPTION:${escaped(description)}`,
    `STATUS:${status}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** `20261126T120000Z` */
function utc(at: BroadcastMs): string {
  return `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

function escaped(text: string): string {
  return text
    .replaceAll(/[\\;,]/g, (sign) => `\\${sign}`)
    .replaceAll(/\r\n|\r|\n/g, '\\n')
    .replaceAll(/\p{Cc}/gu, '');
}

/** Continued on lines that begin with a space; never inside a character. */
function folded(line: string): string {
  const lines: string[] = [];
  let [part, size] = ['', 0];
  for (const letter of line) {
    const octets = Buffer.byteLength(letter);
    if (size + octets > MAX_LINE) {
      lines.push(part);
      [part, size] = [' ', 1];
    }
    part += letter;
    size += octets;
  }
  return [...lines, part].join('\r\n');
}
