SELECT leader FROM coord.leader('bench');
