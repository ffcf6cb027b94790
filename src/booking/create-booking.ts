/** Composition of the booking feature: reservations, rules, planning, and routes. */
import type { Database } from 'bun:sqlite';
import type { AddRoutes } from '../http/route/server-interfaces.ts';
import { CancellationStore } from '../store/cancellation-store.ts';
import { ReservationStore } from '../store/reservation-store.ts';
import { RuleStore } from '../store/rule-store.ts';
import { whenWritable } from '../store/transaction.ts';
import { BookingService, type BookingServiceOptions } from './booking-service.ts';
import { addReservationRoutes } from './reservation-routes.ts';
import { addRuleRoutes } from './rule-routes.ts';

interface BookingNeeds
  extends Omit<BookingServiceOptions, 'reservations' | 'rules' | 'cancellations' | 'write'> {
  database: Database;
}

export function createBooking(needs: BookingNeeds) {
  const { database, ...options } = needs;
  const booking = new BookingService({
    ...options,
    write: (act) => whenWritable(database, act),
    reservations: new ReservationStore(database),
    rules: new RuleStore(database),
    cancellations: new CancellationStore(database),
  });
  const routes: AddRoutes = (app) => {
    addReservationRoutes(app, booking);
    addRuleRoutes(app, booking);
  };
  return { booking, routes };
}
