-- DISCARD ALL ends a membership whatever the session has set: it resets all that anyhow.
SELECT coord.join('a') > 0 AS joined;
SELECT leader FROM coord.campaign('regress_discard_read_only');
SET default_transaction_read_only = on;
SET default_transaction_isolation = serializable;
DISCARD ALL;
SHOW default_transaction_read_only;
SELECT count(*) AS leaders FROM coord.leader('regress_discard_read_only');
SELECT coord.leave();
